import { beforeEach, describe, expect, it } from 'vitest'
import { sessionCookie } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { createTestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'
import { countStatements } from '../../../support/database-slow'
import { aMember, signInAs } from '../../../support/members'
import { query } from '../../../support/query'

const MINUTE = 60_000
const test = useTestApp()
let cookie: string

beforeEach(async () => {
  const member = await aMember(test.app)
  const header = await signInAs(test.app, { ...member, ipAddress: '192.0.2.1' })
  cookie = header.split(';')[0] ?? ''
  await backgroundDone(test.app)
})

const eventFrom = (address: string) =>
  ({ node: { req: { headers: { cookie }, socket: { remoteAddress: address } } }, context: {} }) as never

const later = (app: App, minutes: number): App => ({ ...app, now: () => new Date(Date.now() + minutes * MINUTE) })

const row = async () => (await query(test.app, 'select last_used_at, ip_address from sessions'))[0]

describe('the last use of a session', () => {
  it('needs no extra database statement within five minutes', async () => {
    for (const minutes of [0, 4]) {
      const statements = await countStatements(test.app, async app =>
        sessionCookie.find(eventFrom('192.0.2.9'), later(app, minutes)),
      )
      expect(statements).toBe(1)
    }
    expect(await row()).toMatchObject({ last_used_at: null, ip_address: '192.0.2.1' })
  })

  it('is written after the lookup with the client address, once for 100 concurrent requests', async () => {
    const inSix = later(test.app, 6)
    const hundred = Array.from({ length: 100 }, () => sessionCookie.find(eventFrom('::ffff:192.0.2.9'), inSix))
    for (const session of await Promise.all(hundred)) expect(session).not.toBeNull()
    await backgroundDone(test.app)
    const usedAt = (await row())?.last_used_at ?? null
    expect(await row()).toMatchObject({ ip_address: '192.0.2.9' })
    expect(Number(usedAt)).toBeGreaterThan(Date.now() + 5 * MINUTE)
    await sessionCookie.find(eventFrom('192.0.2.10'), later(test.app, 10))
    await backgroundDone(test.app)
    expect(await row()).toMatchObject({ last_used_at: usedAt, ip_address: '192.0.2.9' })
    await sessionCookie.find(eventFrom('192.0.2.10'), later(test.app, 12))
    await backgroundDone(test.app)
    expect(await row()).toMatchObject({ ip_address: '192.0.2.10' })
  })

  it('never delays a request or makes it fail', async () => {
    const { client } = test.app.db
    const never = new Promise<never>(() => {})
    const stuck = { ...client, execute: () => never } as typeof client
    const app = later({ ...test.app, db: { ...test.app.db, client: stuck } }, 6)
    expect(await sessionCookie.find(eventFrom('192.0.2.9'), app)).not.toBeNull()
    const failing = { ...client, execute: () => Promise.reject(new Error('disk full')) } as typeof client
    const second = await createTestApp()
    const broken = later({ ...test.app, memo: second.app.memo, db: { ...test.app.db, client: failing } }, 6)
    expect(await sessionCookie.find(eventFrom('192.0.2.9'), broken)).not.toBeNull()
    await backgroundDone(broken)
    expect(test.lines()).toContainEqual(expect.objectContaining({ name: 'touch-session', level: 'warn' }))
    await second.close()
  })
})
