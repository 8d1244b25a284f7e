import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fairway/server/domains/actions'
import {
  checkEmbedDeclarations,
  createTicket,
  findEmbedSession,
  openTicket,
  purgeEmbedTokens,
} from '#fairway/server/domains/pages'
import { embedTokens } from '#fairway/server/schema'
import { compilePages } from '#fairway/modules/pages/page-files'
import { shareTestApp } from '../../../../support/use-app'
import { withLatency } from '../../../../support/database-slow'
import { aMember, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'

const test = shareTestApp()

const pages = compilePages([{ path: '/' }, { path: '/embed/:view()', meta: { embed: true } }])
const read = {
  description: 'Reads.',
  input: z.object({}),
  readOnly: true,
  embed: '/embed/:view()',
  run: () => null,
}

describe('an embed ticket', () => {
  it('opens only once for 25 concurrent requests with a slow database', async () => {
    const session = await aMember(test.app)
    const { url } = await createTicket(test.app, { path: '/embed/notes?a=1', session, sessionId: null }, pages)
    const ticket = new URL(url).searchParams.get('ticket') ?? ''
    const slow = withLatency(test.app)
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => openTicket(slow, ticket)))
    const opened = outcomes.filter(outcome => outcome.status === 'fulfilled')
    expect(opened).toMatchObject([{ value: { path: '/embed/notes?a=1' } }])
    expect(await test.app.db.orm.select().from(embedTokens)).toMatchObject([{ page: '/embed/:view()' }])
  })

  it('is refused for a closed organization, and a provider rule added later closes the open page', async () => {
    const session = await aMember(test.app)
    const open = async () => {
      const { url } = await createTicket(test.app, { path: '/embed/notes', session, sessionId: null }, pages)
      return (await openTicket(test.app, new URL(url).searchParams.get('ticket') ?? '')).token
    }
    const token = await open()
    const rule = (provider: string) =>
      query(test.app, 'update organizations set required_auth_provider = ? where id = ?', [provider, session.orgId])
    await rule('google')
    expect((await findEmbedSession(test.app, token))?.session).toMatchObject({
      orgId: null,
      orgRole: null,
      closedOrg: { id: session.orgId, provider: 'google' },
    })
    const closed = await sessionNow(test.app, session)
    const input = { path: '/embed/notes', session: closed, sessionId: null }
    await expect(createTicket(test.app, input, pages)).rejects.toMatchObject({ code: 'provider-required' })
    await rule('password')
    expect((await findEmbedSession(test.app, await open()))?.session).toMatchObject({ orgId: session.orgId })
  })

  it('leaves no token after the purge when the page’s hour has passed', async () => {
    const session = await aMember(test.app)
    const { url } = await createTicket(test.app, { path: '/embed/notes', session, sessionId: null }, pages)
    await openTicket(test.app, new URL(url).searchParams.get('ticket') ?? '')
    const later = new Date(test.app.now().getTime() + 61 * 60 * 1000)
    await purgeEmbedTokens({ ...test.app, now: () => later })
    expect(await test.app.db.orm.select().from(embedTokens)).toEqual([])
  })
})

describe('an action for embed pages', () => {
  it('must name an existing embed page', () => {
    const catalog = [{ name: 'read', action: defineAction(read) }]
    expect(() => checkEmbedDeclarations(catalog, pages)).not.toThrow()
    expect(() => checkEmbedDeclarations(catalog, [])).toThrow(/read: \/embed\/:view\(\) is not an embed page/)
  })

  it.each([
    ['writes', { readOnly: false }],
    ['has a guard', { guard: () => true }],
    ['is public', { public: true }],
    ['is not served by HTTP', { http: false }],
    ['names no path', { embed: 'notes' }],
  ])('is refused when it %s', (_name, change) => {
    expect(() => defineAction({ ...read, ...change } as typeof read)).toThrow(/embed/)
  })
})
