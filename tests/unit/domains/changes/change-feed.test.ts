import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runAction } from '#fairway/server/domains/actions'
import { takePlace } from '#fairway/server/domains/changes/answer-changes'
import { type Listener, listen } from '#fairway/server/domains/changes/change-feed'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import createNote from '~~/server/actions/notes/create-note'
import noteList from '~~/server/collections/note-list'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember, anotherOrg, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const declared = {
  actions: [{ name: 'create-note', action: createNote as never }],
  collections: [{ name: 'note-list', collection: noteList as never }],
}

let test: TestApp
let app: App
let maria: Session
const stops: (() => void)[] = []

beforeEach(async () => {
  test = await createTestApp()
  app = test.app
  maria = await aMember(app)
})
afterEach(async () => {
  for (const stop of stops.splice(0)) stop()
  await test.close()
})

/** Starts a listener for this session. Returns the list that collects what it hears. */
async function aListener(
  session: Session,
  textOf = (change: Parameters<Listener['tell']>[0]) => `${change.action} ${change.collections.join()}`,
): Promise<string[]> {
  const heard: string[] = []
  const listener: Listener = {
    session,
    sessionNow: () => sessionNow(app, session),
    tell: change => heard.push(textOf(change)),
    tellToReload: () => heard.push('reload'),
    end: reason => heard.push(`end: ${reason}`),
  }
  stops.push(await listen(app, declared, listener, undefined))
  return heard
}

const write = (title: string) =>
  runAction(app, {
    name: 'create-note',
    action: createNote as never,
    input: { title },
    session: maria,
    caller: 'http',
    requestId: 'r',
  })

it('change feed reports each write once, including writes during a poll', async () => {
  const heard = await aListener(maria)
  await Promise.all(['One', 'Two', 'Three'].map(write))
  await vi.waitFor(() => expect(heard).toHaveLength(3))
  await write('Four')
  await vi.waitFor(() => expect(heard).toHaveLength(4))
  expect(new Set(heard)).toEqual(new Set(['create-note note-list']))
})

it('change feed names no rows of an organization that the person does not work in', async () => {
  const elsewhere = await anotherOrg(app, maria)
  const heard = await aListener(elsewhere, change => String(change.id))
  await write('One')
  maria = elsewhere
  await write('Two')
  const [two] = await query(app, 'select id from notes where org_id = ?', [elsewhere.orgId])
  await vi.waitFor(() => expect(heard).toContain(two?.id))
  expect(heard).toEqual([two?.id])
})

it('change feed tells listeners to reload after audit rows changed their positions', async () => {
  await write('One')
  const heard = await aListener(maria)
  await query(app, 'update audit_log set rowid = rowid - 1')
  await write('Two')
  await vi.waitFor(() => expect(heard[0]).toBe('reload'))
  await write('Three')
  await vi.waitFor(() => expect(heard.at(-1)).toBe('create-note note-list'))
})

it('change feed keeps places for other networks when accounts on one network use all of theirs', () => {
  const take = (person: number, network = '203.0.113.7') =>
    takePlace(app, { session: `session ${person}`, person: `person ${person}`, network })
  const leave = Array.from({ length: 1000 }, (_, person) => take(person))
  const isRefused = expect.objectContaining({ code: 'rate-limited', headers: { 'retry-after': '30' } })
  expect(() => take(1000)).toThrow(isRefused)
  take(1001, '198.51.100.7')()
  leave[0]?.()
  expect(() => take(1000)).not.toThrow()
})
