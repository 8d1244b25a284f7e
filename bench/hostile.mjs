// Sends hostile requests to the built server: `node bench/hostile.mjs [--seeds 20] [--count 500]`; `--only 3:217` repeats and
// prints one request. Exits with 1 after a 5xx, a missing response, or growth of memory.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { attack, hostileRequests, routePaths } from '../tests/support/hostile.ts'
import { OWNER, signUp, TOKEN, watchedServer } from './watched-server.mjs'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    count: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const GROWTH_LIMIT = 1.25
const DESCRIPTORS_LIMIT = 8
const count = Number(values.count)

const server = await watchedServer()
const cookie = await signUp(server.origin, OWNER)
await server.confirmOwner()
const openapi = await (await fetch(`${server.origin}/_fw/openapi.json`, { headers: { cookie } })).json()
const described = Object.keys(openapi.paths).map(path => path.replace(/\{[^}]+\}/g, ':x'))
const routes = routePaths(fileURLToPath(new URL('../layers/fairway/server/routes', import.meta.url)))
const paths = [...new Set(['/', '/notes', '/favicon.ico', '/_nuxt/x.js', ...described, ...routes])].toSorted()

if (values.only) {
  const [seed, at] = values.only.split(':').map(Number)
  const [request] = hostileRequests(seed, at + 1, paths).slice(at)
  console.log(request.text)
  console.log(await attack(server.origin, [request], TOKEN))
  await server.stop()
  process.exit()
}

const statuses = {}
const faults = []
let before
for (let seed = Number(values.from); seed < Number(values.from) + Number(values.seeds); seed++) {
  const attacked = await attack(server.origin, hostileRequests(seed, count, paths), TOKEN)
  faults.push(...attacked.faults)
  for (const [status, times] of Object.entries(attacked.statuses)) statuses[status] = (statuses[status] ?? 0) + times
  for (const { name, fault, text } of attacked.faults) console.log(`\n${name}  ${fault}\n${text}`)
  // The first requests load code on demand.
  const sample = await server.sample()
  before ??= sample
  console.log(
    `seed ${seed}: ${attacked.faults.length} faults; heap ${sample.heap.toFixed(1)} MB, resident ${sample.resident.toFixed(0)} MB, ${sample.descriptors} descriptors`,
  )
}
const after = await server.sample()
const ready = await fetch(`${server.origin}/_fw/health/ready`)
await server.stop()
const total = Object.values(statuses).reduce((sum, times) => sum + times, 0)
console.log(statuses)
console.log(`${total} requests to ${paths.length} paths, ${faults.length} faults, ready afterwards: ${ready.status}`)
const hasGrown = after.heap > before.heap * GROWTH_LIMIT || after.descriptors > before.descriptors + DESCRIPTORS_LIMIT
if (hasGrown) console.log(`grown: from ${JSON.stringify(before)} to ${JSON.stringify(after)}`)
process.exit(faults.length > 0 || hasGrown || ready.status !== 200 ? 1 : 0)
