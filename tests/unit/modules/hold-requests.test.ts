import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp, eventHandler } from 'h3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { holdRequests } from '#fairway/modules/dev-server/hold-requests'

/** A server as Nuxt's command line listens with: while Nuxt restarts, it answers with its loading page. */
async function startListener() {
  const server = createServer((_req, res) =>
    res.writeHead(503, { 'content-type': 'text/html' }).end('Restarting Nuxt...'),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const ask = async (accept: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/_fw/session`, { headers: { accept } })
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  /** Goes through the hooks of a start until it answers with this text. */
  const start = async (says: string) => {
    const hooks = new Map<string, (...args: unknown[]) => unknown>()
    holdRequests({ hook: (name: string, hook: () => unknown) => hooks.set(name, hook) } as never)
    const call = async (name: string, ...args: unknown[]) => hooks.get(name)?.(...args)
    const app = createApp().use(eventHandler(() => says))
    await call('ready', { server: { app } })
    await call('listen', server)
    return call
  }
  return { start, ask }
}

const LOADING = [503, 'text/html', 'Restarting Nuxt...']

it('a request of a program waits for the next start, and a page shows that Nuxt restarts', async () => {
  const { start, ask } = await startListener()
  const first = await start('first')
  expect(await ask('application/json')).toEqual(LOADING)
  await first('close')
  const waiting = ask('application/json')
  expect(await ask('text/html,*/*')).toEqual(LOADING)
  const second = await start('second')
  await second('build:done')
  expect(await waiting).toEqual([200, 'text/html', 'second'])
  // From here on, the command line answers.
  expect(await ask('application/json')).toEqual(LOADING)
})

it('after 20 seconds, the request gets a problem document', async () => {
  const { start, ask } = await startListener()
  const call = await start('first')
  await call('close')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const waiting = ask('*/*')
  await vi.waitUntil(() => vi.getTimerCount() > 0)
  await vi.advanceTimersByTimeAsync(20_000)
  const [status, type, body] = await waiting
  expect([status, type]).toEqual([503, 'application/problem+json'])
  expect(JSON.parse(String(body))).toMatchObject({ code: 'unavailable', status: 503 })
})
