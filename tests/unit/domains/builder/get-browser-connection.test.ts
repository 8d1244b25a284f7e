import { afterEach, describe, expect, it } from 'vitest'
import getBrowserConnection from '#server/actions/builder/get-browser-connection'
import { runAction } from '#server/domains/actions'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { toProblem } from '#server/foundation/http/problem'
import { createTestApp } from '../../../support/app'
import { builderKeys, startBuilder } from '../../../support/builder'
import { aMember } from '../../../support/members'
import { query } from '../../../support/query'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function setUp(mode: string) {
  const service = await startBuilder(mode)
  const test = await createTestApp({
    BUILDER_PRIVATE_KEY: builderKeys.privateKey,
    BUILDER_PUBLIC_KEY: builderKeys.publicKey,
    BUILDER_USER_ID: 'user-7',
    BUILDER_API_HOST: service.origin,
  })
  open.push(service.stop, test.close)
  return { ...test, service }
}

async function call(app: App, input: object, signal?: AbortSignal): Promise<unknown> {
  return runAction(app, {
    name: 'get-browser-connection',
    action: getBrowserConnection,
    input,
    session: await aMember(app),
    caller: 'http',
    requestId: 'r',
    signal,
  })
}

describe('get-browser-connection', () => {
  it('asks the service with the shared credentials and gives the address of the browser', async () => {
    const { app, service } = await setUp('good')
    const result = await call(app, { sessionId: 'mine-1' })
    expect(result).toEqual({ wsUrl: 'wss://browser.example.test/devtools/abc', sessionId: 'mine-1' })
    expect(service.requests).toEqual([
      {
        url: '/codegen/get-browser-connection?apiKey=public0123456789&userId=user-7',
        authorization: 'Bearer bpk-very-secret-private',
        body: '{"sessionId":"mine-1"}',
      },
    ])
  })

  it('makes a session id when none is given, and takes the service’s own', async () => {
    const { app } = await setUp('good')
    expect(await call(app, {})).toMatchObject({ sessionId: expect.stringMatching(/^[\da-f-]{36}$/) })
    const other = await setUp('own-session')
    expect(await call(other.app, { sessionId: 'mine' })).toEqual({ wsUrl: 'ws://127.0.0.1:9/x', sessionId: 'theirs' })
  })

  it('says that nothing is connected', async () => {
    const test = await createTestApp()
    open.push(test.close)
    await expect(call(test.app, {})).rejects.toMatchObject({ code: 'builder-not-connected', status: 409 })
  })

  it.each([
    ['broken', 'browser-connection-failed'],
    ['not-json', 'browser-connection-failed'],
    ['redirect', 'browser-connection-failed'],
    ['huge', 'browser-connection-failed'],
    ['dropped', 'browser-connection-failed'],
    ['no-ws-url', 'no-ws-url'],
    ['bad-ws-url', 'no-ws-url'],
  ])('answers a service that is %s with %s and no key in any text', async (mode, code) => {
    const { app, service, lines } = await setUp(mode)
    const error = await call(app, { sessionId: 's' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, status: 502 })
    expect(service.requests).toHaveLength(1)
    app.log.error('as the error handler does', { error: error instanceof AppError ? error.cause : error })
    const problem = error instanceof AppError ? toProblem(error, 'r') : undefined
    const rows = await query(app, 'select * from audit_log')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify([problem, lines(), rows, String(error)])).not.toMatch(/bpk-|public0123/)
  })

  it('stops when the caller has gone', async () => {
    const { app } = await setUp('silent')
    const gone = new AbortController()
    setTimeout(() => gone.abort(), 100)
    await expect(call(app, {}, gone.signal)).rejects.toMatchObject({ code: 'browser-connection-failed' })
  })

  it('refuses a session id that is none', async () => {
    const { app, service } = await setUp('good')
    await expect(call(app, { sessionId: 'a/../b' })).rejects.toMatchObject({ code: 'invalid-input' })
    expect(service.requests).toEqual([])
  })
})

describe('BUILDER_API_HOST', () => {
  it.each(['http://api.example.test', 'https://api.example.test/v1', 'https://user:pw@api.example.test', 'ftp://x'])(
    'refuses %s',
    async host => {
      await expect(createTestApp({ BUILDER_API_HOST: host })).rejects.toThrow(/BUILDER_API_HOST/)
    },
  )
})
