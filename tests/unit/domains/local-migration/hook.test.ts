import { createApp as createH3, createRouter, defineEventHandler, setResponseStatus, toNodeListener } from 'h3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureDevAccount } from '#server/domains/accounts'
import { callHook, moveLocalData } from '#server/domains/local-migration'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember } from '../../../support/members'
import { serveListener, type WebServer } from '../../../support/web-server'

let test: TestApp
let server: WebServer
let calls: { cookie: string | undefined }[]
let status = 200

/** An application with a hook of its own, and a route that moves and calls it as ours does. */
beforeEach(async () => {
  test = await createTestApp()
  await ensureDevAccount(test.app)
  const ada = await aMember(test.app)
  calls = []
  const router = createRouter()
    .post(
      '/api/local-migration',
      defineEventHandler(event => {
        calls.push({ cookie: event.headers.get('cookie') ?? undefined })
        setResponseStatus(event, status)
        return { ok: status === 200, prefixes: 2 }
      }),
    )
    .post(
      '/move',
      defineEventHandler(async event => {
        event.context.app = test.app
        const { isHookDue } = await moveLocalData(test.app, ada, { hasHook: true })
        return isHookDue ? callHook(event) : { state: 'none' }
      }),
    )
  const app = createH3({
    onRequest(event) {
      const headers = { cookie: event.headers.get('cookie') ?? '' }
      event.fetch = (path, init) => fetch(server.origin + String(path), { headers, ...init })
    },
  }).use(router)
  server = await serveListener(toNodeListener(app))
})
afterEach(async () => {
  status = 200
  await server.stop()
  await test.close()
})

async function move(): Promise<unknown> {
  const answer = await fetch(`${server.origin}/move`, { method: 'POST', headers: { cookie: 'a=b' } })
  return answer.json()
}

describe("the template's hook", () => {
  it('is called once, as the caller, and its answer is passed on', async () => {
    expect(await move()).toEqual({ state: 'done', answer: { ok: true, prefixes: 2 } })
    expect(await move()).toEqual({ state: 'none' })
    expect(calls).toEqual([{ cookie: 'a=b' }])
  })

  it('is called once of five moves at the same time', async () => {
    const states = await Promise.all(Array.from({ length: 5 }, move))
    expect(states.filter(answer => (answer as { state: string }).state === 'done')).toHaveLength(1)
    expect(calls).toHaveLength(1)
  })

  it('is reported and logged when it fails, and called again by the next move', async () => {
    status = 500
    expect(await move()).toEqual({ state: 'failed', status: 500 })
    expect(test.lines()).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'the local-migration hook failed' }),
    )
    status = 200
    expect(await move()).toMatchObject({ state: 'done' })
    expect(calls).toHaveLength(2)
  })
})
