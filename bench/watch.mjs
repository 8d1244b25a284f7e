// Measures how long requests wait while a server has other work: it sends `GET /_fw/session` at a steady rate.
import { median, percentile } from './built-server.mjs'

const EVERY_IN_MS = 10

/**
 * Sends requests until this value of `performance.now()`, without waiting for earlier responses; returns each wait in
 * milliseconds.
 */
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

/** Returns the medians of several rounds: the p50, the p99 and the longest wait. */
export const figures = rounds => ({
  p50: median(rounds.map(each => percentile(each, 50))),
  p99: median(rounds.map(each => percentile(each, 99))),
  max: median(rounds.map(each => Math.max(...each))),
})
