import { setTimeout as sleep } from 'node:timers/promises'
import { defineEventHandler, type EventHandler, type H3Event } from 'h3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { assignAppRole, defineAppRoles, requireOrg } from '#fairway/server/domains/organizations'
import { putCredential } from '#fairway/server/domains/organizations/vault'
import { answerCollectionRequest } from '#fairway/server/domains/collections'
import { defineCollection, requireAll, requireOrganization, setActiveOrgId, team, useFairway } from '#fw'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { withLatency } from '../../../../support/database-slow'
import { codeOf, statusAndCode } from '../../../../support/error-code'
import { aMember, anotherOrg, sessionNow, signInAs } from '../../../../support/members'
import { query } from '../../../../support/query'
import { freePort } from '../../../../support/server'
import { serveHandlers } from '../../../../support/web-handlers'
import type { WebServer } from '../../../../support/web-server'

const roles = defineAppRoles({ appId: 'notes', roles: ['curator', 'reader'] })
const everybody = { page: 1, itemsPerPage: 10, search: '' }
const everythingOf = async (event: H3Event) => {
  const { session, orgId, requestId, now, signal, db } = await useFairway(event)
  return { email: session.email, orgId, requestId, now: now(), aborted: signal.aborted, db: typeof db.select }
}

/** An author's collection behind an app role; its item shows what the source function receives. */
const inHand = defineCollection({
  description: 'What the function of a collection has in hand.',
  item: z.object({ id: z.string(), orgId: z.string().nullable(), role: z.string() }),
  guard: roles.requireAny('curator'),
  async source({ credentials, orgId, requestId }) {
    const role = await roles.resolve()
    return [{ id: `${requestId} ${await credentials.get('mailer')}`, orgId, role: role.status }]
  },
})

/** Routes as an author writes them. */
const routes: Record<string, EventHandler> = {
  '/everything': defineEventHandler(everythingOf),
  '/anyone': defineEventHandler(async event => (await useFairway(event, { public: true })).session?.email ?? 'nobody'),
  '/curators': defineEventHandler(async event => {
    const { orgId, session } = await useFairway(event, {
      guard: requireAll(requireOrganization(), roles.requireAny('curator')),
    })
    return `${orgId.length > 0} ${session.orgRole.length > 0}`
  }),
  '/strangers': defineEventHandler(async event => {
    const { session } = await useFairway(event, { public: true, guard: context => context.session === null })
    return session?.email ?? 'nobody'
  }),
  '/role': defineEventHandler(() => roles.resolve()),
  '/role-of-nobody': defineEventHandler(() => roles.resolve({ userEmail: null })),
  '/role-outside': defineEventHandler(() => roles.resolve({ orgId: null })),
  '/members': defineEventHandler(async () => (await team.members(everybody)).totalItems),
  '/move': defineEventHandler(async event => {
    const { email, to } = z.object({ email: z.string(), to: z.string() }).parse(queryOf(event))
    await useFairway(event)
    await setActiveOrgId(email, to, 'a route')
    return 'moved'
  }),
  '/credential': defineEventHandler(async event => (await useFairway(event)).credentials.get('mailer')),
  '/peer': defineEventHandler(async event => (await useFairway(event)).peers.call('unknown', 'anything')),
  '/slow': defineEventHandler(async event => {
    const before = await useFairway(event)
    await sleep(Math.random() * 20)
    const role = await roles.resolve()
    await sleep(Math.random() * 20)
    return { email: before.session.email, role, members: (await team.members(everybody)).totalItems }
  }),
  '/in-hand': defineEventHandler(event =>
    answerCollectionRequest(event, [{ name: 'in-hand', collection: inHand as never }]),
  ),
  '/page': defineEventHandler(async event => {
    event.context.isImpersonal = true
    const named = z.object({ email: z.string(), org: z.string() }).parse(queryOf(event))
    return {
      named: await roles.resolve({ userEmail: named.email, orgId: named.org }),
      nobody: await roles.resolve({ userEmail: null }),
      ambient: await roles.resolve().catch((error: Error) => error.message),
      session: await useFairway(event).catch((error: Error) => error.message),
    }
  }),
}

const queryOf = (event: H3Event) => Object.fromEntries(new URL(event.path, 'http://localhost').searchParams)

let test: TestApp
let server: WebServer
let owner: Session
let other: Session

beforeEach(async () => {
  const origin = `http://localhost:${await freePort()}`
  test = await createTestApp({ FW_BASE_URL: origin })
  test.app = { ...test.app, config: { ...test.app.config, appRoles: roles } }
  owner = await aMember(test.app)
  other = await aMember(test.app)
  server = await serveHandlers(test.app, { routes })
})
afterEach(async () => {
  await server.stop()
  await test.close()
})

const as = async (person: Session | null, path: string, from = server): Promise<Response> => {
  const cookie = person ? ((await signInAs(test.app, person)).split(';')[0] ?? '') : ''
  return fetch(from.origin + path, { headers: { cookie } })
}

describe('useFairway in a route', () => {
  it('returns the same context as an action for the signed-in account', async () => {
    expect(await (await as(owner, '/everything')).json()).toEqual({
      email: owner.email,
      orgId: owner.orgId,
      requestId: 'test',
      now: expect.any(String),
      aborted: false,
      db: 'function',
    })
    await putCredential(test.app, { orgId: owner.orgId ?? '' }, 'mailer', 'secret-of-the-org')
    expect(await (await as(owner, '/credential')).text()).toBe('secret-of-the-org')
    expect(await codeOf(await as(owner, '/peer'))).toBe('unknown-peer')
  })

  it('returns 401 without a session, unless the route is public', async () => {
    expect(await statusAndCode(await as(null, '/everything'))).toEqual([401, 'unauthenticated'])
    expect(await (await as(null, '/anyone')).text()).toBe('nobody')
    expect(await (await as(owner, '/anyone')).text()).toBe(owner.email)
    const bearer = await fetch(`${server.origin}/everything`, { headers: { authorization: 'Bearer abc' } })
    expect(await statusAndCode(bearer)).toEqual([401, 'unauthenticated'])
  })

  it('runs the given guard, narrows the context types, and returns 401 or 403 when denied', async () => {
    expect(await statusAndCode(await as(owner, '/curators'))).toEqual([403, 'forbidden'])
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: owner.email, role: 'curator' })
    expect(await (await as(owner, '/curators')).text()).toBe('true true')
    expect(await statusAndCode(await as(null, '/curators'))).toEqual([401, 'unauthenticated'])
    expect(await (await as(null, '/strangers')).text()).toBe('nobody')
    expect(await statusAndCode(await as(owner, '/strangers'))).toEqual([403, 'forbidden'])
  })

  it('returns 403 when the organization requires another sign-in provider, as for actions', async () => {
    await query(test.app, "update organizations set required_auth_provider = 'google'")
    expect(await statusAndCode(await as(owner, '/everything'))).toEqual([403, 'provider-required'])
  })
})

describe('request context', () => {
  it('is available to collection functions, and collection guards can require an app role', async () => {
    await putCredential(test.app, { orgId: owner.orgId ?? '' }, 'mailer', 'of-the-org')
    expect(await statusAndCode(await as(owner, '/in-hand'))).toEqual([403, 'forbidden'])
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: owner.email, role: 'curator' })
    expect(await (await as(owner, '/in-hand')).json()).toMatchObject({
      member: [{ id: 'test of-the-org', orgId: owner.orgId, role: 'assigned' }],
    })
  })

  it('resolves app roles for the caller, and returns no-identity for a null email', async () => {
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: owner.email, role: 'curator' })
    expect(await (await as(owner, '/role')).json()).toEqual({ status: 'assigned', role: 'curator' })
    expect(await (await as(other, '/role')).json()).toEqual({ status: 'unassigned' })
    expect(await (await as(null, '/role')).json()).toEqual({ status: 'no-identity' })
    expect(await (await as(owner, '/role-of-nobody')).json()).toEqual({ status: 'no-identity' })
    expect(await (await as(owner, '/role-outside')).json()).toEqual({ status: 'no-org' })
  })

  it('lists the caller’s team, and setActiveOrgId switches an account’s organization', async () => {
    expect(await (await as(owner, '/members')).text()).toBe('1')
    expect(await statusAndCode(await as(null, '/members'))).toEqual([401, 'unauthenticated'])
    const second = await anotherOrg(test.app, owner)
    const moved = await as(owner, `/move?email=${owner.email}&to=${owner.orgId}`)
    expect([second.orgId === owner.orgId, await moved.text()]).toEqual([false, 'moved'])
    expect((await sessionNow(test.app, owner)).orgId).toBe(owner.orgId)
  })

  it('isolates interleaved requests of different people', async () => {
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: owner.email, role: 'curator' })
    const slow = await serveHandlers(withLatency(test.app), { routes }, 0)
    const mine = { email: owner.email, role: { status: 'assigned', role: 'curator' }, members: 1 }
    const theirs = { email: other.email, role: { status: 'unassigned' }, members: 1 }
    const askers = Array.from({ length: 24 }, (_value, index) => (index % 2 === 0 ? owner : other))
    const answers = await Promise.all(askers.map(async person => (await as(person, '/slow', slow)).json()))
    expect(answers).toEqual(askers.map(person => (person === owner ? mine : theirs)))
    await slow.stop()
  })

  it('resolves roles of named accounts on a shared page, and does not read the session', async () => {
    await assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: owner.email, role: 'curator' })
    const refused = 'the session was read while rendering a page that every visitor shares'
    expect(await (await as(owner, `/page?email=${owner.email}&org=${owner.orgId}`)).json()).toEqual({
      named: { status: 'assigned', role: 'curator' },
      nobody: { status: 'no-identity' },
      ambient: refused,
      session: refused,
    })
  })
})
