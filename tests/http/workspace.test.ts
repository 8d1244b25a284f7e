import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { PASSWORD } from '../support/team'
import { startWorkspace, type Workspace } from '../support/workspace'

let workspace: Workspace
beforeAll(async () => {
  workspace = await startWorkspace({ envOf: { docs: { FW_PEERS: undefined } } })
})
afterAll(() => workspace.stop())

/** A person with a confirmed account in these applications. Returns their browser, signed in to the first one. */
async function aPersonIn(name: string, ...ids: string[]): Promise<TestBrowser> {
  const email = `${name}@example.test`
  const browsers = await Promise.all(
    ids.map(async id => {
      const { origin, server } = workspace.app(id)
      const browser = createBrowser(origin)
      await signUp(browser, { email, password: PASSWORD, name })
      await query(server, 'update users set email_verified = 1 where email = ?', [email])
      return browser
    }),
  )
  const [first] = browsers
  if (!first) throw new Error('no application was named')
  return first
}

async function aNote(browser: TestBrowser, title: string): Promise<string> {
  const answer = await browser.post('/_fw/actions/create-note', { json: { title, text: 'with a text' } })
  return (await answer.json()).result.note.id
}

const copy = (browser: TestBrowser, id: string, app: string) =>
  browser.post('/_fw/actions/copy-note-to-app', { json: { id, app } })

const notesIn = (id: string, title: string) =>
  query(workspace.app(id).server, 'select title, text, owner_email, visibility from notes where title = ?', [title])

describe('action that calls another application', () => {
  it('acts there with the account of the same person', async () => {
    const browser = await aPersonIn('ada', 'mail', 'docs')
    const answer = await copy(browser, await aNote(browser, 'For the docs'), 'docs')
    expect(await answer.json()).toMatchObject({ result: { app: 'docs', note: { title: 'For the docs' } } })
    expect(await notesIn('docs', 'For the docs')).toEqual([
      expect.objectContaining({ text: 'with a text', owner_email: 'ada@example.test', visibility: 'private' }),
    ])
    const rows = await query(
      workspace.app('docs').server,
      `select caller, action, outcome from audit_log where action = 'create-note'`,
    )
    expect(rows).toEqual([expect.objectContaining({ caller: 'a2a', action: 'create-note' })])
  })

  it('returns 409, creates no account and writes nothing when the person has no account there', async () => {
    const browser = await aPersonIn('bob', 'mail')
    const answer = await copy(browser, await aNote(browser, 'For nobody'), 'docs')
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ code: 'peer-refused', peerCode: 'unknown-person' })
    expect(await notesIn('docs', 'For nobody')).toEqual([])
    const { server } = workspace.app('docs')
    expect(await query(server, `select id from users where email = 'bob@example.test'`)).toEqual([])
  })

  it('lists the known applications when an unknown one is requested', async () => {
    const browser = await aPersonIn('cleo', 'mail')
    const answer = await copy(browser, await aNote(browser, 'For sheets'), 'sheets')
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'unknown-peer', peers: ['mail', 'docs'] })
  })

  it('calls no application for a note that its caller cannot see', async () => {
    const owner = await aPersonIn('dora', 'mail')
    const id = await aNote(owner, 'Private to Dora')
    const other = await aPersonIn('emil', 'mail', 'docs')
    expect((await copy(other, id, 'docs')).status).toBe(404)
    expect(await notesIn('docs', 'Private to Dora')).toEqual([])
  })
})
