import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServerProcesses, type ServerProcesses } from '#fairway/modules/dev-server/server-processes'
import { serveListener, type WebServer } from '../../support/web-server'

/** A built server like Nitro's: it prints its address, responds slowly at /slow, and exits after a message. */
const built = (says: string) => {
  const entry = join(mkdtempSync(join(tmpdir(), 'fw-built-')), 'server.mjs')
  writeFileSync(
    entry,
    `import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'
const server = createServer(async (req, res) => {
  const body = await new Response(req).text()
  if (req.url === '/slow') await new Promise(resolve => setTimeout(resolve, 300))
  res.setHeader('x-for', req.headers['x-forwarded-for'] ?? '')
  res.end(${JSON.stringify(says)} + body)
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage({ event: 'listen', address: { host: '127.0.0.1', port: server.address().port } }))
parentPort.on('message', () => { server.closeAllConnections(); parentPort.postMessage({ event: 'exit' }) })
`,
  )
  return entry
}

let processes: ServerProcesses
let edge: WebServer

beforeEach(async () => {
  processes = createServerProcesses()
  edge = await serveListener(async (req, res) => {
    if (!(await processes.answer(req, res))) res.writeHead(503).end('nobody')
  })
})
afterEach(async () => {
  await processes.close()
  await edge.stop()
})

const ask = async (path = '/', init: RequestInit = {}) => await (await fetch(edge.origin + path, init)).text()

it('a request before the first server waits for it and is forwarded with its body', async () => {
  const waiting = ask('/', { method: 'POST', body: ' and a body' })
  await processes.start(built('first'))
  expect(await waiting).toBe('first and a body')
  expect((await fetch(edge.origin)).headers.get('x-for')).toMatch(/127\.0\.0\.1$/)
})

it('running requests finish on the old server, and requests during a build wait for the new one', async () => {
  const former = built('first')
  await processes.start(former)
  const underWay = ask('/slow')
  await expect.poll(() => ask()).toBe('first')
  processes.hold()
  const waiting = Array.from({ length: 20 }, () => ask())
  await processes.start(built('second'))
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 20 }, () => 'second'))
  expect(await underWay).toBe('first')
  await expect.poll(() => existsSync(dirname(former)), { timeout: 10_000 }).toBe(false)
})

it('a server that fails to start reports the reason, and the previous server continues', async () => {
  await processes.start(built('first'))
  const broken = built('broken')
  writeFileSync(broken, `process.stderr.write('server/actions/greet.ts: no\\n'); process.exit(1)`)
  processes.hold()
  const waiting = ask()
  await expect(processes.start(broken)).rejects.toThrow('server/actions/greet.ts: no')
  processes.release()
  expect(await waiting).toBe('first')
})

it('a request is not handled when there is no server', async () => {
  processes.release()
  expect(await ask()).toBe('nobody')
})

it('a server that starts while all are closed, or afterwards, handles no requests and is deleted', async () => {
  const [late, later] = [built('late'), built('later')]
  const starting = processes.start(late)
  await processes.close()
  await starting
  await processes.start(later)
  expect(await ask()).toBe('nobody')
  expect([late, later].map(entry => existsSync(dirname(entry)))).toEqual([false, false])
})
