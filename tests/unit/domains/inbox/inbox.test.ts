import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { countInbox, readInbox } from '#fairway/server/domains/inbox/inbox'
import { notify } from '#fairway/server/domains/mails'
import { switchTopics } from '#fairway/server/domains/mails/topics'
import { invite } from '#fairway/server/domains/organizations'
import { requireOrg } from '#fairway/server/domains/organizations/org-context'
import {
  purgeNotifications,
  readNotifications,
  rememberLanguage,
  switchInboxTopic,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Orm } from '#fairway/server/kernel/database/client'
import { defineMail } from '#fairway/server/kernel/mail/define-mail'
import { declareMails } from '#fairway/server/kernel/mail/mail-content'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../support/app'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp({ FW_RATE_LIMITS: 'on' })
const won = (topic?: string) =>
  defineMail({
    description: 'A deal was won.',
    data: z.object({ deal: z.string() }),
    example: { deal: 'Larch' },
    href: ({ deal }) => `/deals?of=${deal}`,
    topic,
    mostPerHour: 3,
  })
const TEXTS = {
  en: { subject: '{deal} is won ({product})', lines: ['Well done.', 'Send the invoice.'], action: 'See it' },
  de: { subject: '{deal} ist gewonnen', lines: ['Gut gemacht.'], action: 'Ansehen' },
}

beforeAll(() => {
  for (const language of ['en', 'de'] as const)
    Object.assign(messagesOf(language).mails, { won: TEXTS[language], 'won-by-topic': TEXTS[language] })
})
afterAll(() => {
  for (const language of ['en', 'de'] as const)
    for (const name of ['won', 'won-by-topic']) delete messagesOf(language).mails[name]
})

let ada: Session
let ben: Session
const declare = (app: App) =>
  declareMails(app, [
    { name: 'won', mail: won() },
    { name: 'won-by-topic', mail: won('deals') },
  ])
beforeEach(async () => {
  declare(test.app)
  ada = await aMember(test.app)
  const person = await aMember(test.app)
  await addTo(test.app, ada, person, 'member')
  ben = await sessionNow(test.app, person)
})

type Message = { to?: string; deal?: string; orgId?: string | null; name?: string; db?: Db; app?: App }
type Db = Pick<Orm, 'insert' | 'run' | 'all' | 'select'>
const tell = ({ to = ben.email, deal = 'Larch', name = 'won', app = test.app, db = app.db.orm, orgId }: Message = {}) =>
  withRun({ app, session: ada }, () => notify(db, name as never, { to, data: { deal }, orgId } as never))
const titles = async (who = ben) => (await readInbox(test.app, who)).notifications.map(({ title }) => title)
const mails = async () => (await query(test.app, 'select name from mail_outbox')).length

describe('notify', () => {
  it('writes the mail’s title, lines and path in the receiver’s language', async () => {
    await rememberLanguage(test.app, ben.userId, 'de')
    expect(await tell()).toEqual({ mail: 'queued', inbox: 'written' })
    await rememberLanguage(test.app, ben.userId, 'en')
    await tell({ deal: 'Birch' })
    const { notifications } = await readInbox(test.app, ben)
    expect(notifications).toMatchObject([
      { title: 'Birch is won', text: 'Well done. Send the invoice.', href: '/deals?of=Birch', isRead: false },
      { title: 'Larch ist gewonnen', text: 'Gut gemacht.', href: '/deals?of=Larch', isRead: false },
    ])
    expect(await readInbox(test.app, ada)).toMatchObject({ notifications: [] })
  })

  it('is part of the transaction', async () => {
    const takenBack = test.app.db.orm.transaction(async db => {
      await tell({ db })
      throw new Error('taken back')
    })
    await expect(takenBack).rejects.toThrow('taken back')
    expect([await titles(), await mails()]).toEqual([[], 0])
    expect(await query(test.app, 'select * from fw_inbox_signals')).toEqual([])
  })

  it.each([
    { off: [], mail: 'queued', inbox: 'written' },
    { off: ['mail'], mail: 'switched-off', inbox: 'written' },
    { off: ['inbox'], mail: 'queued', inbox: 'switched-off' },
    { off: ['mail', 'inbox'], mail: 'switched-off', inbox: 'switched-off' },
  ])('follows the choice for the topic: off $off', async ({ off, mail, inbox }) => {
    if (off.includes('mail')) await switchTopics(test.app, ben.email, { off: ['deals'] })
    if (off.includes('inbox')) await switchInboxTopic(test.app, ben.userId, 'deals', false)
    expect(await tell({ name: 'won-by-topic' })).toEqual({ mail, inbox })
    expect([await mails(), (await titles()).length]).toEqual([mail === 'queued' ? 1 : 0, inbox === 'written' ? 1 : 0])
    // A mail without a topic is not optional.
    expect(await tell()).toEqual({ mail: 'queued', inbox: 'written' })
  })

  it('switches topics one by one, also at the same time', async () => {
    const set = (topic: string, isOn: boolean) => switchInboxTopic(test.app, ben.userId, topic, isOn)
    await Promise.all([set('deals', false), set('news', false), set('digest', false)])
    await Promise.all([set('news', true), set('deals', false)])
    const [row] = await query(test.app, `select value from user_settings where key = 'fw-inbox-off'`)
    expect(JSON.parse(String(row?.value)).toSorted()).toEqual(['deals', 'digest'])
  })

  it('mails an address without an account, and needs no mail server for the inbox', async () => {
    expect(await tell({ to: 'nobody@example.test' })).toEqual({ mail: 'queued', inbox: 'no-account' })
    const silent = await createTestApp({
      NODE_ENV: 'production',
      BETTER_AUTH_SECRET: randomBytes(32).toString('hex'),
      FW_BASE_URL: 'https://larch.example',
    })
    declare(silent.app)
    const cleo = await aMember(silent.app)
    expect(await tell({ app: silent.app, to: cleo.email })).toEqual({ mail: 'unavailable', inbox: 'written' })
    await silent.close()
  })

  it('counts both forms against the hourly limit of the mail', async () => {
    await switchTopics(test.app, ben.email, { off: ['deals'] })
    for (let times = 0; times < 3; times += 1) await tell({ name: 'won-by-topic' })
    await expect(tell({ name: 'won-by-topic' })).rejects.toMatchObject({ code: 'rate-limited' })
    expect(await titles()).toHaveLength(3)
  })

  it('refuses what is no address', async () => {
    await expect(tell({ to: 'ben@' })).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

describe('the inbox', () => {
  it('shows what an organization told its members while they are members, and everything else always', async () => {
    const cleo = await aMember(test.app)
    await tell({ deal: 'Ours' })
    await tell({ deal: 'Personal', orgId: null })
    await tell({ deal: 'Guest', to: cleo.email })
    expect(await titles()).toEqual(['Personal is won', 'Ours is won'])
    expect(await titles(cleo)).toEqual(['Guest is won'])
    // Work in another organization changes nothing.
    expect(await titles(await anotherOrg(test.app, ben))).toEqual(['Personal is won', 'Ours is won'])
    await query(test.app, `update organizations set required_auth_provider = 'google' where id = ?`, [ada.orgId])
    expect(await titles()).toEqual(['Personal is won'])
    expect(await countInbox(test.app, ben)).toMatchObject({ unread: 1 })
    await query(test.app, 'update organizations set required_auth_provider = null')
    await query(test.app, 'delete from org_members where user_id = ? and org_id = ?', [ben.userId, ada.orgId])
    expect(await titles()).toEqual(['Personal is won'])
  })

  it('has pages of 30, newest first', async () => {
    const row = { user: ben.userId, at: test.app.now().getTime() }
    for (let number = 0; number < 31; number += 1)
      await query(
        test.app,
        `insert into fw_notifications (id, user_id, name, title, text, created_at) values (?, ?, 'won', ?, '', ?)`,
        [`n-${String(number).padStart(2, '0')}`, row.user, `T${number}`, row.at],
      )
    const first = await readInbox(test.app, ben)
    expect(first.notifications.map(({ title }) => title)).toEqual(Array.from({ length: 30 }, (_, n) => `T${30 - n}`))
    const second = await readInbox(test.app, ben, first.cursor ?? undefined)
    expect([second.notifications.map(({ title }) => title), second.cursor]).toEqual([['T0'], null])
  })

  it('counts unread notifications until their reader marks them, one or all', async () => {
    for (const deal of ['A', 'B', 'C']) await tell({ deal })
    const { notifications } = await readInbox(test.app, ben)
    const ids = notifications.map(({ id }) => id)
    const unread = async () => (await countInbox(test.app, ben)).unread
    await readNotifications(test.app, ada.userId, ids)
    expect(await unread()).toBe(3)
    await readNotifications(test.app, ben.userId, ids.slice(0, 1))
    expect(await unread()).toBe(2)
    await readNotifications(test.app, ben.userId)
    expect(await unread()).toBe(0)
    expect((await readInbox(test.app, ben)).notifications.every(({ isRead }) => isRead)).toBe(true)
  })

  it('lists and counts open invitations, waiting calls and connections to renew', async () => {
    const actor = requireOrg(await anotherOrg(test.app, ada, 'Larch'), 'invite-member')
    await invite(test.app, actor, [{ email: ben.email, role: 'member' }])
    await query(
      test.app,
      `insert into a2a_approvals (id, user_id, org_id, caller, action, input, status, created_at, expires_at)
        values ('question', ?, ?, 'https://peer.example', 'delete-note', '{}', 'pending', 1, 4e12)`,
      [ben.userId, ben.orgId],
    )
    expect(await readInbox(test.app, ben)).toMatchObject({
      invitations: [{ orgName: 'Larch', invitedBy: ada.name }],
      approvals: [{ action: 'delete-note', path: '/approvals/question' }],
      connections: [],
    })
    expect(await countInbox(test.app, ben)).toEqual({ waiting: 2, unread: 0 })
    const signals = await query(test.app, 'select user_id as userId from fw_inbox_signals')
    expect(signals).toEqual([{ userId: ben.userId }])
  })

  it('forgets notifications after 90 days, signals after an hour except the newest one', async () => {
    await tell()
    await tell({ to: ada.email })
    const later = (ms: number): App => ({ ...test.app, now: () => new Date(test.app.now().getTime() + ms) })
    const DAY_IN_MS = 24 * 60 * 60 * 1000
    await purgeNotifications(later(DAY_IN_MS))
    expect(await titles()).toHaveLength(1)
    expect(await query(test.app, 'select place, user_id from fw_inbox_signals')).toEqual([
      { place: 2, user_id: ada.userId },
    ])
    await purgeNotifications(later(91 * DAY_IN_MS))
    expect(await titles()).toEqual([])
  })
})
