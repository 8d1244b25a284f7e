import { createApp, createRouter, defineEventHandler, toNodeListener } from 'h3'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Action, defineAction, definePublicRoute, runAction } from '#fairway/server/domains/actions'
import { checkAction } from '#fairway/server/domains/actions/run-action'
import { aroundRequests } from '#fairway/server/enter-request'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { shareTestApp } from '../../../support/use-app'
import { serveListener } from '../../../support/web-server'

const test = shareTestApp()

const sessionOf = (userId: string, orgId: string | null): Session => ({
  userId,
  email: `${userId}@example.test`,
  emailVerified: true,
  name: userId,
  image: null,
  orgId,
  orgName: orgId,
  orgSlug: null,
  orgRole: orgId ? 'member' : null,
  provider: 'password',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
})
const ada = sessionOf('ada', 'acme')
const ben = sessionOf('ben', 'acme')
const eve = sessionOf('eve', 'evil')

interface Caller {
  session: Session | null
  clientAddress?: string
  input?: unknown
}

let names = 0
/** Calls a new action with this limit once for each caller. Returns their results or error codes. */
async function callAll(limit: unknown, callers: readonly Caller[], options: Record<string, unknown> = {}) {
  const action = defineAction({
    description: 'Does it.',
    input: z.object({ count: z.number().default(1) }),
    public: true,
    limit,
    run: ({ count }: { count: number }, { clientAddress }: { clientAddress: string | null }) => [count, clientAddress],
    ...options,
  } as never) as unknown as Action
  const name = `limited-${++names}`
  const answers: unknown[] = []
  for (const { session, clientAddress, input = {} } of callers) {
    const call = { name, action, input, session, clientAddress, caller: 'http' as const, requestId: 'r' }
    answers.push(await runAction(test.app, call).catch((error: AppError) => error.code))
  }
  return answers
}
const OK = [1, null]

it('counts each person separately on a shared network', async () => {
  const limit = { per: 'person', max: 2, window: 60 }
  const callers = [ada, ada, ben, ada].map(session => ({ session, clientAddress: '203.0.113.9' }))
  const done = [1, '203.0.113.9']
  expect(await callAll(limit, callers)).toEqual([done, done, done, 'rate-limited'])
})

it('counts the members of an organization together', async () => {
  const callers = [ada, ben, eve, ada].map(session => ({ session }))
  expect(await callAll({ per: 'organization', max: 2, window: 60 }, callers)).toEqual([OK, OK, OK, 'rate-limited'])
})

it('counts a network with and without a session, and treats an IPv6 network as one', async () => {
  const callers = [
    { session: ada, clientAddress: '2001:db8::1' },
    { session: null, clientAddress: '2001:db8::2' },
    { session: null, clientAddress: '2001:db9::1' },
  ]
  const answers = await callAll({ per: 'network', max: 1, window: 60 }, callers)
  expect(answers).toEqual([[1, '2001:db8::1'], 'rate-limited', [1, '2001:db9::1']])
})

it('counts callers without a session by network when the limit is per person', async () => {
  const callers = ['198.51.100.1', '198.51.100.1', '198.51.100.2'].map(clientAddress => ({
    session: null,
    clientAddress,
  }))
  const answers = await callAll({ per: 'person', max: 1, window: 60 }, callers)
  expect(answers.map(answer => answer === 'rate-limited')).toEqual([false, true, false])
})

it('applies several limits to one action', async () => {
  const limits = [
    { per: 'person', max: 5, window: 60 },
    { per: 'person', max: 1, window: 3600 },
  ]
  expect(await callAll(limits, [{ session: ada }, { session: ada }])).toEqual([OK, 'rate-limited'])
})

it('counts calls with invalid input, but not calls that the guard denies', async () => {
  const limit = { per: 'organization', max: 1, window: 60 }
  const options = { guard: ({ session }: { session: Session | null }) => session?.userId === 'ada' }
  const callers = [{ session: ben }, { session: ada, input: { count: 'many' } }, { session: ada }]
  expect(await callAll(limit, callers, options)).toEqual(['forbidden', 'invalid-input', 'rate-limited'])
})

it('does not count checkAction calls', async () => {
  const action = defineAction({
    description: 'Does it.',
    input: z.object({}),
    limit: { per: 'person', max: 1, window: 60 },
    run: () => 'done',
  }) as unknown as Action
  const call = { name: 'asked', action, input: {}, session: ada, caller: 'a2a' as const, requestId: 'r' }
  await checkAction(test.app, call)
  await checkAction(test.app, call)
  expect(await runAction(test.app, call)).toBe('done')
})

it.each([
  { per: 'planet', max: 1, window: 60 },
  { per: 'person', max: 0, window: 60 },
  { per: 'person', max: 1, window: '1 hour' },
  [],
])('throws at load for the invalid limit %j', limit => {
  const options = { description: 'Does it.', input: z.object({}), run: () => null, limit }
  expect(() => defineAction(options as never)).toThrow(/defineAction: limit/)
  expect(() => definePublicRoute(() => null, { limit } as never)).toThrow(/definePublicRoute: limit/)
})

it('limits each public route separately and returns 429 with Retry-After', async () => {
  const handler = definePublicRoute(() => 'an answer', { limit: { per: 'network', max: 1, window: 60 } })
  const router = createRouter().post('/api/contact', handler).post('/api/other', handler)
  const server = await serveListener(
    toNodeListener(
      createApp({
        onError: (error, event) => {
          const { status, headers } = error as unknown as AppError
          event.node.res.writeHead(status, headers).end()
        },
      }).use(aroundRequests(test.app, defineEventHandler(router.handler))),
    ),
  )
  const post = (path: string) => fetch(`${server.origin}${path}`, { method: 'POST' })
  expect((await post('/api/contact')).status).toBe(200)
  const refused = await post('/api/contact')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await post('/api/other')).status).toBe(200)
  await server.stop()
})
