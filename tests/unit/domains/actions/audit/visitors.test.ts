import { beforeEach, describe, expect, it } from 'vitest'
import { defineEventHandler } from 'h3'
import { z } from 'zod'
import { defineAction, newId, useFairway } from '#fw'
import { declareActions, runAction } from '#fairway/server/domains/actions'
import { listActivity } from '#fairway/server/domains/actions/audit/activity'
import { listAuditLog } from '#fairway/server/domains/actions/audit/audit-log'
import { subjectsOf } from '#fairway/server/domains/actions/audit/audit-subject'
import { listWritesAfter } from '#fairway/server/domains/actions/audit/follow-audit'
import { changeFor } from '#fairway/server/domains/changes/change'
import { requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { notes } from '~~/server/database/notes'
import { addTo, aMember, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'
import { useTestApp } from '../../../../support/use-app'
import { serveHandlers } from '../../../../support/web-handlers'

const input = z.object({ orgId: z.string(), ownerEmail: z.string(), title: z.string() })

const leaveRequest = defineAction({
  description: 'Leaves a request for an organization.',
  public: true,
  input,
  audit: { subject: { table: notes, title: notes.title, id: 'id' } },
  async run({ title, ...owner }, { db, now }) {
    const row = {
      id: newId(),
      title,
      text: '',
      ...owner,
      visibility: 'org' as const,
      createdAt: now(),
      updatedAt: now(),
    }
    if (title === '') throw new AppError('conflict')
    await db.insert(notes).values(row)
    return { id: row.id }
  },
})
const ringBell = defineAction({
  description: 'Rings the bell of an organization.',
  public: true,
  input: z.object({ organization: z.string() }),
  audit: { organization: 'organization' },
  run: () => ({ rung: true }),
})
const actions = { 'leave-request': leaveRequest, 'ring-bell': ringBell }
const catalog = Object.entries(actions).map(([name, action]) => ({ name, action: action as never }))

const test = useTestApp()
let app: App
let owner: Session
let member: Session
let stranger: Session

beforeEach(async () => {
  app = test.app
  owner = await aMember(app, { name: 'Owner' })
  const joining = await aMember(app, { name: 'Maria' })
  await addTo(app, owner, joining, 'member')
  await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [joining.userId, owner.orgId])
  member = await sessionNow(app, joining)
  stranger = await aMember(app, { name: 'Stranger' })
})

const run = (name: keyof typeof actions, session: Session | null, given: object) =>
  runAction(app, { name, action: actions[name] as never, input: given, session, caller: 'http', requestId: 'r' })
const request = (session: Session | null, title = 'Trial lesson') =>
  run('leave-request', session, { title, orgId: owner.orgId, ownerEmail: owner.email }) as Promise<{ id: string }>
const rows = () =>
  query(app, 'select action, via, user_id, user_email, org_id, subject_title from audit_log order by id')

describe('calls of visitors', () => {
  it('leave a row without a name in the organization of the written row', async () => {
    await request(null)
    const visitor = { via: 'visitor', user_id: null, user_email: null }
    expect(await rows()).toEqual([
      { action: 'leave-request', ...visitor, org_id: owner.orgId, subject_title: 'Trial lesson' },
    ])
  })

  it('are in the audit log, the activity and the changes of members, and of nobody else', async () => {
    const { id } = await request(null)
    const org = requireOrg(owner, 'read-audit-log')
    const log = await listAuditLog(app, org, { page: 1, itemsPerPage: 50 }, subjectsOf(catalog))
    expect(log.entries).toMatchObject([{ action: 'leave-request', via: 'visitor', userId: null }])
    const feed = async (session: Session) => (await listActivity(app, session, catalog, { itemsPerPage: 9 })).entries
    expect(await feed(member)).toMatchObject([{ action: 'leave-request', subject: { id, title: 'Trial lesson' } }])
    expect(await feed(stranger)).toEqual([])
    const [write] = (await listWritesAfter(app, undefined, 9))?.writes ?? []
    if (!write) throw new Error('there is no write')
    const hear = (session: Session) => changeFor(app, { actions: catalog, collections: [] }, session, write)
    expect(await hear(member)).toMatchObject({ action: 'leave-request', id })
    expect(await hear(stranger)).toBeNull()
  })

  it('do not name a person who works in another organization, and name a member', async () => {
    await request(stranger)
    await request(member)
    expect(await rows()).toMatchObject([
      { via: 'visitor', user_id: null, user_email: null, org_id: owner.orgId },
      { via: null, user_id: member.userId, org_id: owner.orgId },
    ])
  })

  it('leave no row when they fail', async () => {
    await expect(request(null, '')).rejects.toMatchObject({ code: 'conflict' })
    expect(await rows()).toEqual([])
  })

  it('belong to the organization that the action names, if it exists', async () => {
    await run('ring-bell', null, { organization: owner.orgId })
    await run('ring-bell', null, { organization: 'of-nobody' })
    expect(await rows()).toMatchObject([{ action: 'ring-bell', via: 'visitor', org_id: owner.orgId }])
  })

  it('are limited per network when the action has no limit', () => {
    expect(ringBell.limit).toEqual([{ per: 'network', max: 60, window: 60 }])
  })

  it('are recorded when a route runs the action', async () => {
    declareActions(app, async () => catalog)
    const route = defineEventHandler(async event => {
      const { run: runIt } = await useFairway(event, { public: true })
      return runIt('leave-request' as never, { title: 'By form', orgId: owner.orgId, ownerEmail: owner.email } as never)
    })
    const server = await serveHandlers(app, { routes: { '/form': route } }, 0)
    expect((await fetch(`${server.origin}/form`)).status).toBe(200)
    await server.stop()
    expect(await rows()).toMatchObject([{ via: 'visitor', org_id: owner.orgId, subject_title: 'By form' }])
  })
})

describe('defineAction', () => {
  it('refuses audit.organization where no visitor can write', () => {
    const declare = (options: object) => () =>
      defineAction({
        description: 'x',
        input: z.object({ at: z.string() }),
        audit: { organization: 'at' },
        run: () => 1,
        ...options,
      })
    expect(declare({})).toThrow('audit: organization: only visitors')
    expect(declare({ public: true, readOnly: true })).toThrow('audit: organization: only visitors')
    expect(declare({ public: true })).not.toThrow()
  })
})
