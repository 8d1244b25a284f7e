// How long others wait while a server has something else to do: `GET /_fw/session`, asked at a steady pace.
import { median, percentile } from './built-server.mjs'

const EVERY_IN_MS = 10

/** Asks until a moment of `performance.now()`, whatever the answers before took; gives each wait in milliseconds. */
export async function watch({ base, headers }, until) {
  const waits = []
  const asked = []
  while (performance.now() < until) {
    asked.push(ask({ base, headers }, waits))
    await new Promise(resolve => setTimeout(resolve, EVERY_IN_MS))
  }
  await Promise.all(asked)
  return waits
}

async function ask({ base, headers }, waits) {
  const began = performance.now()
  const answer = await fetch(`${base}/_fw/session`, { headers })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`the session answered ${answer.status}`)
  waits.push(performance.now() - began)
}

/** The medians of several rounds: half of the waits, 99 of a hundred, and the longest. */
export const figures = rounds => ({
  p50: median(rounds.map(each => percentile(each, 50))),
  p99: median(rounds.map(each => percentile(each, 99))),
  max: median(rounds.map(each => Math.max(...each))),
})
