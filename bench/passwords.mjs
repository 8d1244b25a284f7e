// `node bench/passwords.mjs [--output=<folder>] [rounds] [seconds]`: measures how long other requests wait while 16 people
// repeatedly sign in by password. It sends `GET /_fw/session` every ten milliseconds, with and without sign-ins in turns, and
// prints p50, p99 and the longest wait. Medians of the rounds.
import { median, signUp, startBuilt } from './built-server.mjs'
import { figures, watch } from './watch.mjs'

const SIGN_INS = 16
const PASSWORD = 'zebra quilt 7 lantern'

/** One person who signs in repeatedly. */
async function signInUntil(base, email, until) {
  let count = 0
  while (performance.now() < until) {
    const body = JSON.stringify({ email, password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${base}/_fw/auth/sign-in/email`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`a sign-in answered ${answer.status}`)
    count += 1
  }
  return count
}

/** Returns the waits of other requests with and without sign-ins, in milliseconds, and the sign-ins per second. */
export async function measurePasswords({ rounds, seconds, output }) {
  const server = await startBuilt({ output })
  const { base } = server
  const watcher = { base, headers: await signUp(base, 'watcher@example.test', PASSWORD) }
  const emails = Array.from({ length: SIGN_INS }, (_, index) => `person${index}@example.test`)
  for (const email of emails) await signUp(base, email, PASSWORD)
  const measured = { without: [], beside: [] }
  const perSecond = []
  await watch(watcher, performance.now() + 500)
  for (let round = 0; round < rounds; round++) {
    measured.without.push(await watch(watcher, performance.now() + seconds * 1000))
    const until = performance.now() + seconds * 1000
    const signIns = emails.map(email => signInUntil(base, email, until))
    const [waits, ...counts] = await Promise.all([watch(watcher, until), ...signIns])
    measured.beside.push(waits)
    perSecond.push(counts.reduce((sum, count) => sum + count, 0) / seconds)
  }
  await server.stop()
  return { without: figures(measured.without), beside: figures(measured.beside), perSecond: median(perSecond) }
}

if (import.meta.main) {
  const [rounds = 5, seconds = 4] = process.argv
    .slice(2)
    .filter(argument => !argument.startsWith('--'))
    .map(Number)
  const { without, beside, perSecond } = await measurePasswords({ rounds, seconds })
  for (const [name, { p50, p99, max }] of Object.entries({ without, beside }))
    console.log(`${name.padEnd(8)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  max ${max.toFixed(1)} ms`)
  console.log(`${perSecond.toFixed(1)} sign-ins a second`)
  console.log(`${(beside.p99 - without.p99).toFixed(1)} ms more at p99  (wanted ≤ 20)`)
}
