import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction, newId, ownedBy } from '#fw'
import { declareActions, rehearseAction } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { noteOutside } from '#fairway/server/kernel/database/rehearsal'
import { queueMail } from '#fairway/server/kernel/mail/queue-mail'
import { defineJob } from '#fairway/server/kernel/jobs'
import { queueJob } from '#fairway/server/kernel/jobs/enqueue'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import type { Session } from '#fairway/shared/schemas/session'
import { notes, publishedNotes } from '~~/server/database/notes'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const subject = { table: notes, title: notes.title }
const one = z.object({ id: z.string() })

const tell = defineJob({ description: 'Tells.', input: z.object({}), run: () => {} })

const actions = {
  'create-note': defineAction({
    description: 'Creates a note.',
    input: z.object({ title: z.string() }),
    audit: { subject },
    async run({ title }, { db, session, now }) {
      const id = newId()
      await db.insert(notes).values({ id, title, ...ownedBy(session), createdAt: now(), updatedAt: now() })
      return { id }
    },
  }),
  'pin-note': defineAction({
    description: 'Pins a note.',
    input: one,
    // A statement of the query builder runs only when somebody awaits it.
    run: ({ id }, { db }) =>
      db
        .update(notes)
        .set({ pinned: true, text: 'x'.repeat(501) })
        .where(eq(notes.id, id)),
  }),
  'delete-notes': defineAction({
    description: 'Deletes all notes, whoever may read them.',
    destructive: true,
    input: z.object({}),
    run: async (_input, { db }) => void (await db.delete(notes)),
  }),
  'copy-note': defineAction({
    description: 'Copies a note to another system.',
    external: true,
    input: one,
    run: () => 1,
  }),
  'fetch-note': defineAction({
    description: 'Does not say that it reaches another system.',
    input: z.object({}),
    run: () => noteOutside('https://api.example'),
  }),
  'tell-everybody': defineAction({
    description: 'Sends a mail and starts a job.',
    input: z.object({}),
    async run(_input, { db }) {
      await queueMail(app, 'maria@example.test', { name: 'hello', subject: 'Hello', lines: ['Hello'], notes: [] })
      await queueJob(app, db, { name: 'tell', job: tell }, {})
    },
  }),
  'rename-note': defineAction({
    description: 'Renames a note that exists.',
    input: one.extend({ title: z.string().max(5) }),
    guard: ({ session }) => session.orgRole === 'owner',
    run: ({ id, title }, { db }) => db.update(notes).set({ title }).where(eq(notes.id, id)),
  }),
}
const catalog = Object.entries(actions).map(([name, action]) => ({ name, action: action as never }))

const test = useTestApp()
let app: App
let owner: Session
let member: Session

beforeEach(async () => {
  app = test.app
  declareActions(app, async () => catalog)
  owner = await aMember(app, { name: 'Owner' })
  const joining = await aMember(app, { name: 'Maria' })
  await addTo(app, owner, joining, 'member')
  await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [joining.userId, owner.orgId])
  member = await sessionNow(app, joining)
  const times = { createdAt: app.now(), updatedAt: app.now() }
  await app.db.orm.insert(notes).values([
    { id: 'mine', title: 'Mine', ...ownedBy(member), ...times },
    { id: 'private', title: 'Only the owner reads this', ...ownedBy(owner), ...times },
  ])
  await app.db.orm.insert(publishedNotes).values({ noteId: 'mine', publishedAt: app.now() })
})

const rehearsed = async (name: keyof typeof actions, input: object = {}, session: Session | null = member) =>
  rehearseAction(app, { name, action: actions[name] as never, input, session, caller: 'http', requestId: 'r' })
const rehearsal = async (...call: Parameters<typeof rehearsed>) => (await rehearsed(...call)).rehearsal
const stored = () =>
  query(
    app,
    `select (select count(*) from notes) as notes, (select count(*) from audit_log) as entries,
  (select count(*) from mail_outbox) as mails`,
  )

describe('a rehearsed action', () => {
  it('says what it would create, and leaves nothing', async () => {
    const { result, rehearsal: told } = await rehearsed('create-note', { title: 'New' })
    expect(told).toMatchObject({
      changes: [{ table: 'notes', id: (result as { id: string }).id, kind: 'created', title: 'New', before: null }],
      mails: 0,
      jobs: [],
    })
    expect(told.changes[0]?.after).toMatchObject({ title: 'New', text: '', pinned: false, visibility: 'private' })
    expect(await stored()).toEqual([{ notes: 2, entries: 0, mails: 0 }])
  })

  it('says which fields it would change, with long texts cut', async () => {
    const { changes } = await rehearsal('pin-note', { id: 'mine' })
    const cut = `${'x'.repeat(500)}…`
    expect(changes).toEqual([
      {
        table: 'notes',
        id: 'mine',
        kind: 'updated',
        title: 'Mine',
        before: { pinned: false, text: '' },
        after: { pinned: true, text: cut },
      },
    ])
  })

  it('says only what the person may read', async () => {
    const { changes } = await rehearsal('delete-notes')
    expect(changes).toMatchObject([{ id: 'mine', kind: 'deleted', title: 'Mine', after: null }])
    expect((await rehearsal('delete-notes', {}, owner)).changes).toMatchObject([{ id: 'private' }])
    expect((await rehearsal('pin-note', { id: 'private' })).changes).toEqual([])
  })

  it('counts the mails and names the jobs that it would leave, and sends nothing', async () => {
    expect(await rehearsal('tell-everybody')).toEqual({ changes: [], mails: 1, jobs: ['tell'] })
    expect(await stored()).toEqual([{ notes: 2, entries: 0, mails: 0 }])
  })

  it.each([
    ['cannot-rehearse', 'copy-note', 'member'],
    ['cannot-rehearse', 'fetch-note', 'member'],
    ['unauthenticated', 'pin-note', 'nobody'],
    ['forbidden', 'rename-note', 'member'],
    ['invalid-input', 'rename-note', 'owner'],
  ] as const)('is refused with %s for %s and %s', async (code, name, who) => {
    const session = { member, owner, nobody: null }[who]
    expect(await refusalOf(rehearsed(name, { id: 'mine', title: 'Too long' }, session))).toBe(code)
  })

  it('is limited to 20 a minute, because each holds the write lock', async () => {
    const limited = { ...app, config: { ...app.config, rateLimits: true } }
    await Promise.all(Array.from({ length: 20 }, () => rateLimit(limited, limits.rehearsalsPerAccount, member.userId)))
    const call = { name: 'pin-note', action: actions['pin-note'] as never, input: { id: 'mine' }, session: member }
    expect(await refusalOf(rehearseAction(limited, { ...call, caller: 'http', requestId: 'r' }))).toBe('rate-limited')
  })
})
