import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction, runAction, type Action, type ActionContext } from '#fairway/server/domains/actions'
import type { ActionCaller } from '#fairway/server/domains/actions/action'
import { auditLog } from '#fairway/server/domains/actions/tables'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { metricsText } from '#fairway/server/kernel/events/metrics'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../support/app'
import { shareTestApp } from '../../../support/use-app'
import { query } from '../../../support/query'

const test = shareTestApp()
let app: App
beforeAll(() => {
  app = test.app
})

const session: Session = {
  userId: 'u1',
  email: 'ada@example.test',
  emailVerified: true,
  name: 'Ada',
  image: null,
  orgId: null,
  orgName: null,
  orgSlug: null,
  orgRole: null,
  provider: 'password',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
}

type Change = Omit<Partial<Parameters<typeof defineAction>[0]>, 'run' | 'guard' | 'output'> & {
  run?: (input: Record<string, unknown>, context: ActionContext) => unknown
  guard?: (context: ActionContext) => unknown
  output?: z.ZodType
}

const define = (change: Change = {}): Action =>
  defineAction({
    description: 'Does it.',
    input: z.object({}),
    run: () => null,
    ...change,
  } as never) as unknown as Action

interface Outcome {
  result?: unknown
  code?: string
  error?: AppError
}

let calls = 0
async function run(action: Action, input: unknown = {}, who: Session | null = session, caller: ActionCaller = 'http') {
  const requestId = `request-${++calls}`
  const outcome = await runAction(app, { name: 'it', action, input, session: who, caller, requestId }).then(
    (result): Outcome => ({ result }),
    (error: AppError): Outcome => ({ code: error.code, error }),
  )
  const rows = (await app.db.orm.select().from(auditLog)).filter(row => row.requestId === requestId)
  return { ...outcome, rows }
}

describe('runAction', () => {
  it('returns unauthenticated without a session before it validates the input', async () => {
    expect(await run(define({ input: z.object({ a: z.string() }) }), {}, null)).toMatchObject({
      code: 'unauthenticated',
    })
  })

  it('counts calls without a session in metrics and writes no audit rows for them', async () => {
    expect((await run(define(), { a: 'x' }, null)).rows).toEqual([])
    expect((await run(define({ public: true }), {}, null)).rows).toEqual([])
    const refuse = () => {
      throw new AppError('conflict')
    }
    expect((await run(define({ public: true, guard: refuse }), {}, null)).rows).toEqual([])
    const counted = metricsText(app)
      .match(/fairway_calls_without_session_total\{.*/g)
      ?.map(line => line.split('{')[1])
    expect(counted).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/action="it",caller="http",outcome="ok"\} [1-9]/),
        expect.stringMatching(/action="it",caller="http",outcome="denied"\} [1-9]/),
        expect.stringMatching(/action="it",caller="http",outcome="failed"\} [1-9]/),
      ]),
    )
  })

  it('runs a public action without a session', async () => {
    expect(await run(define({ public: true, run: (_input, context) => context.session }), {}, null)).toMatchObject({
      result: null,
    })
  })

  it('denies a session whose organization is closed to it, before it runs the guard', async () => {
    const closedOrg = {
      id: 'o1',
      name: 'Corp',
      provider: 'corp',
      providerName: 'Corp',
      signIn: '/x',
      isOwnProvider: true,
    }
    const asked: unknown[] = []
    const guard = (context: ActionContext) => asked.push(context.orgId) > 0
    const outcome = await run(define({ guard, run: () => asked.push('ran') }), {}, { ...session, closedOrg })
    expect(outcome).toMatchObject({
      code: 'provider-required',
      error: { status: 403, extra: { organization: { id: 'o1', name: 'Corp' }, provider: 'corp', signIn: '/x' } },
      rows: [{ outcome: 'denied', errorCode: 'provider-required', orgId: 'o1' }],
    })
    expect(asked).toEqual([])
    const open = define({ public: true, run: (_input, { orgId }) => orgId })
    expect(await run(open, {}, { ...session, closedOrg })).toMatchObject({ result: null })
  })

  it.each([[false], [undefined], [null], [0], ['true'], [{}], [Promise.resolve(false)]])(
    'denies when the guard returns %j',
    async value => {
      const ran = { value: false }
      const action = define({ guard: () => value, run: () => (ran.value = true) })
      // A new person each time, because repeated denials of one person are folded into one audit row.
      expect(await run(action, {}, { ...session, userId: newId() })).toMatchObject({
        code: 'forbidden',
        rows: [{ outcome: 'denied', errorCode: 'forbidden' }],
      })
      expect(ran.value).toBe(false)
    },
  )

  it.each(['http', 'mcp', 'cli', 'a2a'] as const)(
    'rejects deeply nested input and writes an audit row when called by %s',
    async caller => {
      const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
      const input = z.object({ tree: z.json(), id: z.string().optional() })
      const call = (levels: number, guard?: () => boolean) =>
        run(
          define({ guard, input, audit: ['tree'] }),
          { tree: nested(levels) },
          { ...session, userId: newId() },
          caller,
        )
      expect(await call(20_000)).toMatchObject({
        code: 'invalid-input',
        error: { errors: [{ path: '', message: expect.stringContaining('64 levels') }] },
        rows: [{ caller, outcome: 'failed', errorCode: 'invalid-input' }],
      })
      expect(await call(20_000, () => false)).toMatchObject({
        code: 'forbidden',
        rows: [{ caller, outcome: 'denied' }],
      })
      expect(await call(64)).toMatchObject({ code: 'invalid-input', rows: [{ outcome: 'failed' }] })
      expect(await call(63)).toMatchObject({
        result: null,
        rows: [{ outcome: 'ok', input: '{"tree":[[[[[["[deep]"]]]]]]}' }],
      })
    },
  )

  it('runs the guard before it validates the input, and continues when the guard returns true', async () => {
    const input = z.object({ a: z.string() })
    expect(await run(define({ guard: () => false, input }))).toMatchObject({ code: 'forbidden' })
    expect(await run(define({ guard: async () => true, input }))).toMatchObject({ code: 'invalid-input' })
    expect(await run(define({ guard: async () => true }))).toMatchObject({ result: null })
  })

  it('returns the error code thrown by a guard, and internal for any other error', async () => {
    const refuse = () => {
      throw new AppError('conflict')
    }
    const fail = () => {
      throw new Error('select * from users')
    }
    expect(await run(define({ guard: refuse }))).toMatchObject({ code: 'conflict' })
    expect(await run(define({ guard: fail }))).toMatchObject({ code: 'internal' })
  })

  it('passes the parsed input to the action, and returns null for undefined', async () => {
    const action = define({ input: z.object({ n: z.number().default(3) }), run: input => input })
    expect(await run(action, { extra: 1 })).toMatchObject({ result: { n: 3 } })
    expect(await run(define({ run: () => undefined }))).toMatchObject({ result: null })
  })

  it('reports faults by path and never repeats the value', async () => {
    const input = z.object({ list: z.array(z.object({ password: z.string().min(8) })) })
    const { error, rows } = await run(define({ input }), { list: [{ password: 'hunter2' }] })
    expect(error?.errors).toMatchObject([{ path: 'list.0.password' }])
    expect(JSON.stringify([error, error?.message, rows])).not.toContain('hunter2')
  })

  it('validates the result and keeps details of a mismatch private', async () => {
    const output = z.object({ id: z.string() })
    expect(await run(define({ output, run: () => ({ id: 'a', secret: 'b' }) }))).toMatchObject({ result: { id: 'a' } })
    const { code, error } = await run(define({ output, run: () => ({ id: 5 }) }))
    expect(code).toBe('internal')
    expect(error?.detail).toBeUndefined()
  })

  it('fails with timed-out at the timeout and aborts the action’s signal', async () => {
    const seen: unknown[] = []
    const action = define({
      timeout: 1,
      run: (_input, { signal }) => new Promise(() => signal.addEventListener('abort', () => seen.push(signal.reason))),
    })
    expect(await run(action)).toMatchObject({
      code: 'timed-out',
      rows: [{ outcome: 'failed', errorCode: 'timed-out' }],
    })
    expect(seen).toMatchObject([{ code: 'timed-out' }])
  })

  it('isolates concurrent calls of different people', async () => {
    const action = define({
      run: async (_input, context) => {
        await new Promise(resolve => setTimeout(resolve, Math.random() * 5))
        return context.session.email
      },
    })
    const people = Array.from({ length: 20 }, (_, index) => ({ ...session, email: `p${index}@example.test` }))
    const results = await Promise.all(people.map(person => run(action, {}, person)))
    expect(results.map(outcome => outcome.result)).toEqual(people.map(person => person.email))
  })

  it('writes no audit row for a successful read, and a row without secrets for a write', async () => {
    expect((await run(define({ readOnly: true }))).rows).toEqual([])
    const input = z.object({ apiToken: z.string(), title: z.string(), text: z.string(), pinned: z.boolean() })
    const given = { apiToken: 'swordfish', title: 'Plan', text: 'My dismissal', pinned: true }
    const { rows } = await run(define({ input, audit: ['title'] }), given)
    expect(rows).toMatchObject([{ action: 'it', caller: 'http', outcome: 'ok', userEmail: 'ada@example.test' }])
    const kept = { apiToken: '[redacted]', title: 'Plan', text: '[text]', pinned: true }
    expect(JSON.parse(String(rows[0]?.input))).toEqual(kept)
  })

  it('stores no text of rejected input', async () => {
    const input = z.object({ title: z.string().min(3), role: z.enum(['viewer']) })
    const { code, rows } = await run(define({ input }), { title: 'My', role: 'dismissal', other: 'secret plan' })
    expect([code, JSON.parse(String(rows[0]?.input))]).toEqual(['invalid-input', { title: '[text]', role: '[text]' }])
  })

  it('writes audit rows for real runs and denied calls, but not for dry runs', async () => {
    const input = z.object({ dryRun: z.boolean().default(true) })
    expect((await run(define({ input }))).rows).toEqual([])
    expect((await run(define({ input }), { dryRun: true })).rows).toEqual([])
    expect((await run(define({ input }), { dryRun: false })).rows).toMatchObject([{ outcome: 'ok' }])
    const denied = await run(define({ input, guard: () => false }), {}, { ...session, userId: newId() })
    expect(denied.rows).toMatchObject([{ outcome: 'denied' }])
  })

  it('ignores a dryRun input that the action does not declare', async () => {
    for (const input of [z.object({}), z.looseObject({})]) {
      expect((await run(define({ input }), { dryRun: true })).rows).toMatchObject([{ outcome: 'ok' }])
    }
  })

  it.each(['confirm-organization-switch', 'would-lock-you-out'] as const)(
    'records the outcome asked for a refusal that only requests confirmation: %s',
    async code => {
      const ask = () => {
        throw new AppError(code)
      }
      expect((await run(define({ run: ask }))).rows).toMatchObject([{ outcome: 'asked', errorCode: code }])
    },
  )

  it('continues when the audit row cannot be written', async () => {
    const broken = await createTestApp()
    await query(broken.app, 'drop table audit_log')
    const call = {
      name: 'it',
      action: define({ run: () => 'done' }),
      input: {},
      session,
      caller: 'http' as const,
      requestId: 'r',
    }
    expect(await runAction(broken.app, call)).toBe('done')
    expect(broken.lines().some(line => line.message === 'audit row could not be written')).toBe(true)
    await broken.close()
  })
})
