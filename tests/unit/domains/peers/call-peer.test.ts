import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction, runAction } from '#fairway/server/domains/actions'
import { callPeer, verifyPeerToken } from '#fairway/server/domains/peers'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember } from '../../../support/members'
import { A2A_SECRET } from '../../../support/secrets'
import { serve, type WebServer } from '../../../support/web-server'

type Answer = (request: Request) => Response | Promise<Response>

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

let requests: { headers: Headers; url: string; body: unknown }[]
let peer: WebServer
let answerWith: Answer
beforeEach(async () => {
  // A new list for each test: a slow answer to an earlier test goes into that test's list.
  const seen: typeof requests = []
  requests = seen
  answerWith = () => Response.json({ result: 1 })
  peer = await serve(async request => {
    const answer = await answerWith(request.clone())
    seen.push({ headers: request.headers, url: request.url, body: await request.json() })
    return answer
  })
  closing.push(() => peer.stop())
})

async function caller(env: Record<string, string> = {}): Promise<TestApp> {
  const test = await createTestApp({
    FW_BASE_URL: 'https://own.example.test',
    A2A_SECRET,
    FW_APP_ID: 'own',
    FW_PEERS: JSON.stringify({ mail: peer.origin, docs: 'https://docs.example.test' }),
    ...env,
  })
  closing.push(() => test.close())
  return test
}

const never = new AbortController().signal

const call = (
  { app }: TestApp,
  input: { peer?: string; session?: Session | null; limitInMs?: number; signal?: AbortSignal } = {},
): Promise<{ result?: unknown; error?: AppError }> =>
  callPeer(app, {
    peer: 'mail',
    body: { action: 'send-draft', input: { id: 7 } },
    session: null,
    signal: never,
    ...input,
  }).then(
    result => ({ result }),
    (error: AppError) => ({ error }),
  )

const problem = (status: number, code: string, more: object = {}) =>
  new Response(
    JSON.stringify({
      type: `urn:fairway:error:${code}`,
      title: `It is ${code}.`,
      status,
      code,
      requestId: 'r',
      ...more,
    }),
    { status, headers: { 'content-type': 'application/problem+json; charset=utf-8' } },
  )

describe('callPeer', () => {
  it('sends one request with a token for that application and person, and returns the result', async () => {
    const test = await caller()
    const session = await aMember(test.app)
    expect(await call(test, { session })).toEqual({ result: 1 })
    const [request] = requests
    expect(request?.url).toBe(`${peer.origin}/_fw/a2a`)
    expect(request?.body).toEqual({ action: 'send-draft', input: { id: 7 } })
    expect(request?.headers.get('cookie')).toBeNull()
    const receiver = await caller({ FW_BASE_URL: peer.origin })
    const token = (request?.headers.get('authorization') ?? '').slice('Bearer '.length)
    const claims = await verifyPeerToken(receiver.app, token, { type: 'a2a+jwt', audience: peer.origin })
    expect(claims).toMatchObject({
      iss: 'https://own.example.test',
      sub: session.email,
      email: session.email,
      app: 'own',
    })
    expect(claims.exp - claims.iat).toBe(60)
  })

  it('sends a token for the application only, without a session or confirmed address', async () => {
    const test = await caller()
    const session = { ...(await aMember(test.app)), emailVerified: false }
    await call(test, { session })
    await call(test, { session: null })
    for (const { headers } of requests) {
      const [, payload = ''] = (headers.get('authorization') ?? '').split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      expect(claims).toMatchObject({ sub: 'app:own', app: 'own' })
      expect(claims).not.toHaveProperty('email')
    }
  })

  it('signs a new token for each call', async () => {
    const test = await caller()
    await call(test)
    await call(test)
    expect(new Set(requests.map(({ headers }) => headers.get('authorization'))).size).toBe(2)
  })

  it('returns unknown-peer for a name that is not configured', async () => {
    const { error } = await call(await caller(), { peer: 'constructor' })
    expect(error).toMatchObject({ code: 'unknown-peer', extra: { peer: 'constructor', peers: ['mail', 'docs'] } })
    expect(requests).toEqual([])
  })

  it.each([
    ['production', 'production', 'mail'],
    ['a test', 'test', 'mail'],
    ['development, to another machine', 'development', 'docs'],
  ])('sends no request without a secret in %s', async (_where, environment, name) => {
    const test = await caller({ NODE_ENV: environment, A2A_SECRET: '' })
    expect((await call(test, { peer: name })).error).toMatchObject({ code: 'a2a-not-configured', status: 503 })
    expect(requests).toEqual([])
  })

  it('sends an unsigned request to this machine in development without a secret', async () => {
    const test = await caller({ NODE_ENV: 'development', A2A_SECRET: '', FW_BASE_URL: 'http://localhost:3000' })
    expect(await call(test)).toEqual({ result: 1 })
    expect(requests[0]?.headers.get('authorization')).toBeNull()
  })
})

const refused: [string, Answer, object][] = [
  [
    'a refusal, with its code and fields',
    () => problem(400, 'invalid-input', { errors: [{ path: 'id', message: 'Too small' }] }),
    {
      code: 'peer-refused',
      errors: [{ path: 'id', message: 'Too small' }],
      extra: { peer: 'mail', peerCode: 'invalid-input' },
    },
  ],
  [
    'a refusal, in its words',
    () => problem(403, 'forbidden', { detail: 'Not this one.' }),
    { code: 'peer-refused', status: 409, detail: 'Not this one.', extra: { peer: 'mail', peerCode: 'forbidden' } },
  ],
  [
    'a failure',
    () => problem(500, 'internal'),
    { code: 'peer-unavailable', status: 503, extra: { peer: 'mail', peerCode: 'internal' } },
  ],
  [
    'an HTML page',
    () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    { code: 'peer-unavailable' },
  ],
  ['an HTML error', () => new Response('<html>', { status: 404 }), { code: 'peer-unavailable' }],
  [
    'JSON that ends early',
    () => new Response('{"result":', { headers: { 'content-type': 'application/json' } }),
    { code: 'peer-unavailable' },
  ],
  ['JSON without a result', () => Response.json({ ok: true }), { code: 'peer-unavailable' }],
  [
    'a redirect',
    () => new Response(null, { status: 307, headers: { location: `${peer.origin}/elsewhere` } }),
    { code: 'peer-unavailable' },
  ],
  ['more than four mebibytes', () => Response.json({ result: 'x'.repeat(4_200_000) }), { code: 'peer-unavailable' }],
  [
    'an approval elsewhere',
    () =>
      Response.json(
        {
          approval: {
            id: 'x'.repeat(43),
            url: 'https://evil.test/_fw/a2a/approvals/x',
            expiresAt: '2030-01-01T00:00:00Z',
          },
        },
        { status: 202 },
      ),
    { code: 'peer-unavailable' },
  ],
  [
    'an approval that is a script',
    () =>
      Response.json(
        { approval: { id: 'x'.repeat(43), url: 'javascript:alert(1)', expiresAt: '2030-01-01T00:00:00Z' } },
        { status: 202 },
      ),
    { code: 'peer-unavailable' },
  ],
]

describe('a response of another application', () => {
  it.each(refused)(
    'becomes an error of this application without a retry when it is %s',
    async (_name, answer, expected) => {
      answerWith = answer
      const { error } = await call(await caller())
      expect(error).toMatchObject(expected)
      expect(requests).toHaveLength(1)
    },
  )

  it('becomes approval-required with the page and approval ID when the person must approve', async () => {
    const id = 'a'.repeat(43)
    const url = `${peer.origin}/_fw/a2a/approvals/${id}`
    answerWith = () => Response.json({ approval: { id, url, expiresAt: '2030-01-01T00:00:00.000Z' } }, { status: 202 })
    const { error } = await call(await caller())
    expect(error).toMatchObject({ code: 'approval-required', status: 409, extra: { url, approvalId: id } })
    expect(error?.detail).toContain(url)
  })

  it('is awaited no longer than the time limit or the action', async () => {
    answerWith = async () => {
      await sleep(1500)
      return Response.json({ result: 1 })
    }
    const test = await caller()
    const began = performance.now()
    expect((await call(test, { limitInMs: 100 })).error?.code).toBe('peer-unavailable')
    expect((await call(test, { signal: AbortSignal.timeout(100) })).error?.code).toBe('peer-unavailable')
    expect(performance.now() - began).toBeLessThan(1200)
  })

  it('becomes peer-unavailable when the application cannot be reached', async () => {
    const test = await caller({ FW_PEERS: '{"mail":"http://127.0.0.1:9"}' })
    expect((await call(test)).error?.code).toBe('peer-unavailable')
  })

  it('is logged without the token and the email address', async () => {
    answerWith = () => problem(403, 'unknown-person')
    const test = await caller()
    await call(test, { session: await aMember(test.app, { email: 'quiet@example.test' }) })
    const line = test.lines().find(({ msg, message }) => /call of another application/.test(String(msg ?? message)))
    expect(line).toMatchObject({ peer: 'mail', peerCode: 'unknown-person' })
    expect(JSON.stringify(test.lines())).not.toMatch(/quiet@|eyJ/)
  })
})

describe('ctx.peers', () => {
  const ask = (test: TestApp, output?: z.ZodType) =>
    runAction(test.app, {
      name: 'it',
      action: defineAction({
        description: 'Asks.',
        public: true,
        input: z.object({}),
        run: (_input, { peers }) =>
          output ? peers.call('mail', 'count', {}, { output }) : peers.result('mail', 'b'.repeat(43)),
      }) as never,
      input: {},
      session: null,
      caller: 'http',
      requestId: 'r',
    })

  it('validates a result against the schema', async () => {
    const test = await caller()
    expect(await ask(test, z.int())).toBe(1)
    await expect(ask(test, z.string())).rejects.toMatchObject({ code: 'peer-unavailable' })
  })

  it('requests the result of an approval', async () => {
    const test = await caller()
    expect(await ask(test)).toBe(1)
    expect(requests[0]?.body).toEqual({ approval: 'b'.repeat(43) })
  })
})
