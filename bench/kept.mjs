// `node bench/kept.mjs [--output=<folder>] [requests]`: measures the memory that a server retains after 100,000 mixed requests.
// It reads the memory after garbage collection and a pause (V8 keeps free pages for eight seconds for reuse), the used heap and
// the open files. It compares the state after enough requests to fill all caches (a tenth) with the state at the end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { signUp, startBuilt } from './built-server.mjs'

const AT_ONCE = 16
const [most = 100_000] = process.argv
  .slice(2)
  .filter(argument => !argument.startsWith('--'))
  .map(Number)

// A small module in the server's process collects garbage and writes its heap size to a file on a signal.
const folder = mkdtempSync(join(tmpdir(), 'fw-kept-'))
const [listener, answer] = ['listener.mjs', 'heap.json'].map(name => join(folder, name))
writeFileSync(
  listener,
  `import { writeFileSync } from 'node:fs'
process.on('SIGUSR2', () => {
  globalThis.gc()
  for (const seconds of [1, 11]) setTimeout(globalThis.gc, seconds * 1000)
  setTimeout(() => writeFileSync(${JSON.stringify(answer)}, JSON.stringify(process.memoryUsage())), 23_000)
})`,
)
const nodeArgs = ['--expose-gc', '--import', listener, ...(process.env.BENCH_NODE_ARGS?.split(' ') ?? [])]
const server = await startBuilt({ nodeArgs })
const { base } = server
const signedIn = await signUp(base, 'kept@example.test')
const json = { 'content-type': 'application/json' }
const created = await fetch(`${base}/_fw/actions/create-note`, {
  method: 'POST',
  headers: { ...json, ...signedIn },
  body: JSON.stringify({ title: 'A note', text: 'with a text' }),
})
if (!created.ok) throw new Error(await created.text())
await created.arrayBuffer()

const get = (path, headers = signedIn) => ({ path, method: 'GET', headers, wanted: [200] })
const mixed = [
  get('/_fw/session'),
  get('/_fw/actions/list-notes'),
  {
    path: '/_fw/actions/list-notes',
    method: 'POST',
    headers: { ...json, ...signedIn },
    body: '{}',
    wanted: [200],
  },
  get('/note-list'),
  get('/notes', {}),
  get('/sign-in', {}),
  // Signed-out clients, each with a different token.
  ...[1, 2].map(() => ({
    path: '/mcp',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    isStranger: true,
    wanted: [401],
  })),
]
const dispatcher = new Agent({ connections: AT_ONCE, pipelining: 1 })

async function send(count) {
  let next = 0
  async function one() {
    while (next < count) {
      const number = next++
      const { path, wanted, isStranger, ...options } = mixed[number % mixed.length]
      const headers = isStranger
        ? { ...options.headers, authorization: `Bearer stranger-${number}-${count}` }
        : options.headers
      const { statusCode, body } = await request(base + path, { ...options, headers, dispatcher })
      await body.arrayBuffer()
      if (!wanted.includes(statusCode)) throw new Error(`${path}: ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

async function look(name) {
  rmSync(answer, { force: true })
  server.signal('SIGUSR2')
  const { heapUsed, heapTotal, external } = await heapOf()
  const [heap, reserved, outside] = [heapUsed, heapTotal, external].map(bytes => bytes / 1024 / 1024)
  const [resident, handles] = [server.residentMegabytes(), server.handles()]
  console.log(
    `${name.padEnd(16)} ${resident.toFixed(0)} MB resident, heap ${heap.toFixed(1)} MB of ${reserved.toFixed(1)}, outside of it ${outside.toFixed(1)} MB, ${handles} open files`,
  )
  return { resident, heap }
}

async function heapOf() {
  for (;;) {
    try {
      return JSON.parse(readFileSync(answer, 'utf8'))
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

await send(most / 10)
const first = await look(`${most / 10} requests`)
await send(most)
const last = await look(`${most} more`)
const growth = name => (last[name] / first[name] - 1) * 100
console.log(`${growth('resident').toFixed(1).padStart(6)} %  growth of resident memory  (wanted < 10)`)
console.log(`${growth('heap').toFixed(1).padStart(6)} %  growth of the heap`)
await dispatcher.close()
await server.stop()
rmSync(folder, { recursive: true })
