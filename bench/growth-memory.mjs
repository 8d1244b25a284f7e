// Measures the memory of a process with 100,000 sessions, each requested once, and with as many event streams as it accepts
// (5,000); two processes on one file.
import { createHmac, hkdfSync } from 'node:crypto'
import { request } from 'node:http'
import { Agent, request as ask } from 'undici'
import { SECRET, startBuilt } from './built-server.mjs'

const AT_ONCE = 16
/** A network may have at most 1,000 streams, so they come from several loopback addresses. */
const PER_ADDRESS = 900

const key = Buffer.from(hkdfSync('sha256', SECRET, 'fairway', 'fairway/session-cookie', 32)).toString('hex')

/** Returns the cookie of a session of bench/growth-rows.mjs. */
function cookieOf(number) {
  const token = `token-${number}`
  return `fw.session_token=${encodeURIComponent(`${token}.${createHmac('sha256', key).update(token).digest('base64')}`)}`
}

async function askForSessions({ base }, count) {
  const dispatcher = new Agent({ connections: AT_ONCE, pipelining: 1 })
  let next = 0
  async function one() {
    while (next < count) {
      const answer = await ask(`${base}/_fw/session`, { dispatcher, headers: { cookie: cookieOf(next++) } })
      const { session } = await answer.body.json()
      if (!session) throw new Error('a session was not found')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  await dispatcher.close()
}

/** Opens one stream of changes; resolves when it is ready. */
function openStream({ base }, number) {
  const localAddress = `127.0.0.${2 + Math.floor(number / PER_ADDRESS)}`
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/_fw/changes`, { agent: false, localAddress, headers: { cookie: cookieOf(number) } })
    sent.once('error', reject)
    sent.once('response', answer => {
      if (answer.statusCode !== 200) reject(new Error(`a stream answered ${answer.statusCode}`))
      answer.on('data', text => String(text).includes('ready') && resolve(sent))
      answer.on('error', () => undefined)
    })
    sent.end()
  })
}

const quiet = () => new Promise(resolve => setTimeout(resolve, 12_000))

/**
 * Returns a process's megabytes at its start, after a request for each of the sessions, and with its streams; also the kilobytes
 * of one stream.
 */
export async function measureMemory({ dataDir, sessions, streams, processes }) {
  const first = await startBuilt({ dataDir })
  await quiet()
  const idle = first.residentMegabytes()
  await askForSessions(first, sessions)
  await quiet()
  const asked = first.residentMegabytes()
  await first.stop()
  const servers = await Promise.all(Array.from({ length: processes }, () => startBuilt({ dataDir })))
  await quiet()
  const before = servers.map(server => server.residentMegabytes())
  const open = []
  for (let number = 0; number < streams; number += 50)
    for (const [index, server] of servers.entries())
      open.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, at) => openStream(server, index * streams + number + at)),
        )),
      )
  await quiet()
  const after = servers.map(server => server.residentMegabytes())
  for (const stream of open) stream.on('error', () => undefined).destroy()
  for (const server of servers) await server.stop()
  const grown = after.map((megabytes, index) => megabytes - before[index])
  return { idle, asked, streaming: Math.max(...after), kilobytes: (Math.max(...grown) * 1024) / streams }
}
