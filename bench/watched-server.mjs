// The built server for measurements, and the resources of its process: memory after garbage collection, file descriptors, CPU
// time.
import { readdirSync, readFileSync } from 'node:fs'
import { createJiti } from 'jiti'

const jiti = createJiti(import.meta.url)
const { startServer } = await jiti.import('../tests/support/server.ts')
const { confirmAddress } = await jiti.import('../tests/support/query.ts')

/** The account that the static token of `watchedServer` acts for. */
export const OWNER = { email: 'owner@example.test', password: 'quiet harbour lantern 42', name: 'Owner' }
export const TOKEN = 'bench-token-of-thirty-two-characters-or-more'

/**
 * Starts a built server with a new database, or with this one. `sample` returns its resident and used memory in MB after garbage
 * collection and its open file descriptors; `cpu` returns the CPU time in seconds since the start. `confirmOwner` lets the static
 * token act for the owner; `stop` stops the server.
 */
export async function watchedServer({ env = {}, database } = {}) {
  const own = {
    NODE_ENV: 'production',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    FW_LOG_LEVEL: 'warn',
    AUTH_REQUIRE_EMAIL_VERIFICATION: '0',
    ACCESS_TOKEN: TOKEN,
    FW_OWNER_EMAIL: OWNER.email,
    ...env,
  }
  const server = await startServer({ env: own, database })
  const { pid } = server
  const inspect = await openInspector(/Debugger listening on (ws:\S+)/.exec(server.log())[1])
  return {
    ...server,
    async sample() {
      // Runs twice, because the first collection can make more memory collectable.
      for (let times = 0; times < 2; times++) await inspect('HeapProfiler.collectGarbage')
      const { usedSize } = await inspect('Runtime.getHeapUsage')
      const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
      return { resident, heap: usedSize / 2 ** 20, descriptors: readdirSync(`/proc/${pid}/fd`).length }
    },
    cpu() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    },
    confirmOwner: () => confirmAddress(server, OWNER.email),
    stop: () => server.kill(),
  }
}

/** Opens the inspector of a process; each call resolves to its result. */
async function openInspector(url) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  const waiting = new Map()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(data)
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  let id = 0
  return (method, params = {}) =>
    new Promise(resolve => {
      waiting.set(++id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
}

/** Signs a person up and returns the cookie of the session. */
export async function signUp(origin, person = OWNER) {
  const answer = await fetch(`${origin}/_fw/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(person),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.headers.getSetCookie()[0].split(';', 1)[0]
}
