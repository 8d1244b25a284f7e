import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  defineAction,
  exportAuditLog,
  findAuditEvent,
  listAuditLog,
  operation,
  runAction,
  verifyAuditLog,
} from '#fairway/server/domains/actions'
import { listActivity } from '#fairway/server/domains/actions/audit/activity'
import { keptParts, withChanges } from '#fairway/server/domains/actions/audit/audit-changes'
import { findPlace, withPlace } from '#fairway/server/domains/actions/audit/audit-place'
import { sealAuditLog } from '#fairway/server/domains/actions/audit/audit-chain'
import { requireOrg } from '#fairway/server/domains/organizations'
import { ownableColumns } from '#fairway/server/domains/organizations/ownable-columns'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import createNote from '~~/server/actions/notes/create-note'
import setNoteVisibility from '~~/server/actions/notes/set-note-visibility'
import updateNote from '~~/server/actions/notes/update-note'
import { useTestApp } from '../../../../support/use-app'
import { aMember } from '../../../../support/members'
import { query } from '../../../../support/query'

const actions = { 'create-note': createNote, 'set-note-visibility': setNoteVisibility, 'update-note': updateNote }
const catalog = Object.entries(actions).map(([name, action]) => ({ name, group: 'notes', action: action as never }))

const test = useTestApp()
let app: App
let ada: Session
let id: string

const run = (name: string, input: unknown, action: unknown = actions[name as keyof typeof actions]) =>
  runAction(app, { name, action: action as never, input, session: ada, caller: 'http', requestId: 'r' })
const newest = async () => {
  const actor = requireOrg(ada, 'read-audit-log')
  return (await listAuditLog(app, actor, { page: 1, itemsPerPage: 1 })).entries[0]!
}
const lastInput = async () =>
  String((await query(app, 'select input from audit_log order by id desc limit 1'))[0]?.input)

beforeEach(async () => {
  app = test.app
  ada = await aMember(app)
  const { note } = (await run('create-note', { title: 'Old' })) as { note: { id: string } }
  id = note.id
  await run('set-note-visibility', { id, visibility: 'org' })
})

describe('the changes of an audit row', () => {
  it('are the values before and after of the declared fields that differ', async () => {
    await run('update-note', { id, title: 'New', text: 'A text that no row keeps.' })
    expect(await newest()).toMatchObject({
      action: 'update-note',
      changes: [{ field: 'title', before: 'Old', after: 'New' }],
    })
    expect(await lastInput()).not.toContain('A text that no row keeps')
    await run('update-note', { id, title: 'New', pinned: true })
    expect(await newest()).toMatchObject({ action: 'update-note', changes: null })
  })

  it('are kept only of rows that the whole organization can read', async () => {
    await run('set-note-visibility', { id, visibility: 'private' })
    await run('update-note', { id, title: 'My secret plan' })
    expect(await newest()).toMatchObject({ action: 'update-note', changes: null })
    expect(await lastInput()).not.toContain('secret plan')
  })

  it('are not kept for a call that failed', async () => {
    await expect(
      run('update-note', { id, title: 'New', ifUnchangedSince: '2020-01-01T00:00:00.000Z' }),
    ).rejects.toThrow()
    expect(await newest()).toMatchObject({ outcome: 'failed', changes: null })
  })

  it('are what `read` returns, cut to 500 characters, with braces and quotes', async () => {
    const values = { plan: '{"a"}' as unknown, seats: 1 as unknown, note: 'x'.repeat(499) as unknown }
    const action = defineAction({
      description: 'Changes the plan.',
      input: z.object({ plan: z.string() }),
      audit: { changes: ['plan', 'seats', 'note', 'other'], read: () => ({ ...values }) },
      run: ({ plan }) => void Object.assign(values, { plan, seats: null, note: 'y'.repeat(600) }),
    })
    await run('change-plan', { plan: 'a } "b", \\' }, action)
    expect((await newest()).changes).toEqual([
      { field: 'plan', before: '{"a"}', after: 'a } "b", \\' },
      { field: 'seats', before: 1, after: null },
      { field: 'note', before: 'x'.repeat(499), after: `${'y'.repeat(500)}…` },
    ])
  })

  it('do not change the outcome when they cannot be read', async () => {
    const action = defineAction({
      description: 'Changes the plan.',
      input: z.object({}),
      audit: {
        changes: ['plan'],
        read() {
          throw new Error('no connection')
        },
      },
      run: () => 'done',
    })
    expect(await run('change-plan', {}, action)).toBe('done')
    expect(await newest()).toMatchObject({ action: 'change-plan', outcome: 'ok', changes: null })
  })

  it('are part of the chain, of exports and of webhook events, but not of the activity', async () => {
    await run('update-note', { id, title: 'New' })
    await sealAuditLog(app)
    const changes = [{ field: 'title', before: 'Old', after: 'New' }]
    const { id: row } = await newest()
    expect(await findAuditEvent(app, ada.orgId!, row)).toMatchObject({ changes })
    const actor = requireOrg(ada, 'read-audit-log')
    const lines = (await Array.fromAsync(exportAuditLog(app, actor, { format: 'jsonl' }).text)).join('')
    expect(JSON.parse(lines.trim().split('\n').at(-1)!)).toMatchObject({ action: 'update-note', changes })
    const { entries } = await listActivity(app, ada, catalog, { itemsPerPage: 1 })
    expect(entries[0]).toMatchObject({ action: 'update-note', changes: null })
    await app.db.client.batch(
      [
        'drop trigger audit_log_no_update',
        `update audit_log set input = replace(input, 'Old', 'Odd') where input like '%$changes%'`,
      ],
      'write',
    )
    expect((await verifyAuditLog(app)).flatMap(({ faults }) => faults)).toHaveLength(1)
  })

  it('stand beside the place of the call', async () => {
    const runs = { app, session: ada, caller: 'http' as const, clientAddress: '192.0.2.7', isLimited: false }
    const place = await withRun(runs, () => findPlace())
    for (const input of ['{}', '{"id":"1"}', '{"cut":"off']) {
      const kept = withPlace(withChanges(input, { title: ['Old', 'New'] }), place)
      expect(keptParts(kept)).toEqual({
        clientAddress: '192.0.2.7',
        device: null,
        changes: [{ field: 'title', before: 'Old', after: 'New' }],
        input,
      })
    }
    expect(keptParts('{"$changes":{"title":"Old"},"id":"1"}').changes).toBeNull()
  })
})

describe('defineAction', () => {
  const table = sqliteTable('deals', { id: text().primaryKey(), title: text(), ...ownableColumns() })
  const declare = (audit: object, input: z.ZodObject = z.object({ id: z.string() }), more: object = {}) =>
    defineAction({ description: 'Changes a deal.', input, audit, run: () => null, ...more } as never)
  const subject = { table, title: table.title }
  const read = () => ({})

  it.each([
    ['a secret by its name', { changes: ['apiKey'], read }, /"apiKey" is a secret/],
    ['no subject', { changes: ['title'] }, /needs a subject/],
    ['no column', { changes: ['titel'], subject }, /"titel" is no column of deals/],
  ])('refuses changes with %s', (_what, audit, message) => {
    expect(() => declare(audit)).toThrow(message)
  })

  it.each([{ format: 'password' }, { writeOnly: true }])('refuses changes of an input with %j', meta => {
    const input = z.object({ pin: z.string().meta(meta) })
    expect(() => declare({ changes: ['pin'], read }, input)).toThrow(/"pin" is a secret/)
  })

  it('refuses changes of a read-only action', () => {
    expect(() => declare({ changes: ['title'], subject }, undefined, { readOnly: true })).toThrow(/changes nothing/)
  })

  it('and operation refuse the same secrets', () => {
    const audit = { keep: [], changes: ['password'], read: async () => ({}) }
    const options = { description: 'Sets it.', method: 'PUT', path: '/_fw/it', audit, run: () => undefined } as const
    expect(() => operation(options)).toThrow(/"password" is a secret/)
  })
})
