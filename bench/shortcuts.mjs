// `node bench/shortcuts.mjs [--output=<folder>] [rounds]`: measures the processor time of each path without shortcuts
// (`FW_SHORTCUTS=off`) as a multiple of the time with them. Both servers take turns in each round; medians of the rounds.
import { median, outputDir } from './built-server.mjs'
import { costOf, costWhileWritten, fill, load, requestsOf, startServer } from './world.mjs'

// Rendering and compressing a page for each request takes tens of milliseconds.
const AMOUNT = 300
const [rounds = 7] = process.argv
  .slice(2)
  .filter(argument => !argument.startsWith('--'))
  .map(Number)

/** Returns a personal token, which works with every build. */
async function personalToken({ base }, signedIn) {
  const answer = await fetch(`${base}/_fw/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signedIn },
    body: JSON.stringify({ name: 'Bench', scopes: ['mcp:read'], expiresInDays: 7 }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()).token
}

const sides = []
for (const shortcuts of ['on', 'off']) {
  const server = await startServer(outputDir(), { FW_SHORTCUTS: shortcuts })
  const { signedIn } = await fill(server)
  sides.push({ server, requests: requestsOf(server, { signedIn, token: await personalToken(server, signedIn) }) })
}
const [short, plain] = sides
for (const [name, [request, , state]] of Object.entries(short.requests)) {
  if (state === 'etag') continue
  const measure = state === 'written' ? costWhileWritten : costOf
  const pair = [
    [short.server, request],
    [plain.server, plain.requests[name][0]],
  ]
  for (const [, options] of pair) load({ ...options, amount: AMOUNT })
  const costs = []
  for (let round = 0; round < rounds; round++) {
    const cost = []
    for (const [server, options] of pair) cost.push(await measure(server, options, AMOUNT))
    costs.push(cost)
  }
  const ratio = median(costs.map(([one, other]) => other / one))
  const shown = [0, 1].map(side => `${median(costs.map(cost => cost[side])).toFixed(0)} µs`.padStart(8))
  console.log(`${ratio.toFixed(2).padStart(6)} ×  ${shown.join(' → ')}  ${name}`)
}
for (const { server } of sides) await server.stop()
