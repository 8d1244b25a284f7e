// `node bench/cost.mjs [--out <folder>] [--only <text>] [--rounds 3] [--amount 3000]`: measures the cost of each path as a
// multiple of a bare handler.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './built-server.mjs'
import { costOf, costWhileWritten, fill, load, notModified, requestsOf, startBare, startServer } from './world.mjs'

const root = new URL('..', import.meta.url).pathname
/** Measures the microseconds of each path and of the bare handler in interleaved rounds. */
export async function measureCosts({ server, bare, person, rounds, amount, only = '' }) {
  const cases = Object.entries(requestsOf(server, person)).filter(([name]) => name.includes(only))
  const bareRequest = { url: bare.base }
  const costs = {}
  const limits = []
  const requests = []
  for (const [name, [request, wanted, state]] of cases) {
    const whole = state === 'etag' ? await notModified(request) : request
    requests.push({ name, wanted, request: whole, isWritten: state === 'written' })
    costs[name] = []
  }
  // The loads block this process's event loop, so its own requests come before them.
  for (const { request } of requests) load({ ...request, amount })
  load({ ...bareRequest, amount })
  // Each path is compared with a bare handler measured right before it, because the speed of a shared machine changes within a
  // round.
  for (let round = 0; round < rounds; round++) {
    for (const { name, request, isWritten } of requests) {
      const limit = costOf(bare, bareRequest, amount)
      const cost = await (isWritten ? costWhileWritten : costOf)(server, request, amount)
      limits.push(limit)
      costs[name].push({ cost, times: cost / limit })
    }
  }
  const rows = requests.map(({ name, wanted }) => ({
    name,
    wanted,
    microseconds: median(costs[name].map(({ cost }) => cost)),
    times: median(costs[name].map(({ times }) => times)),
  }))
  return { bare: median(limits), rows }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, '.output-bench') },
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      amount: { type: 'string', default: '4000' },
    },
  })
  const bare = await startBare()
  const server = await startServer(values.out)
  const person = await fill(server)
  const { bare: limit, rows } = await measureCosts({
    server,
    bare,
    person,
    rounds: Number(values.rounds),
    amount: Number(values.amount),
    only: values.only,
  })
  console.log(`${limit.toFixed(1).padStart(8)} µs         a bare handler of h3`)
  for (const { name, wanted, microseconds, times } of rows) {
    console.log(
      `${microseconds.toFixed(1).padStart(8)} µs ${times.toFixed(2).padStart(6)} ×  ${name}  (wanted ≤ ${wanted})`,
    )
  }
  bare.stop()
  await server.stop()
}
