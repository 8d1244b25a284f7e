// One measured round: `node bench/load.mjs '<json options for autocannon>'` prints requests per second and errors.
import autocannon from 'autocannon'

const options = JSON.parse(process.argv[2])
const result = await autocannon(options)
const failed = result.errors + result.timeouts + result.non2xx
console.log(JSON.stringify({ perSecond: result.requests.average, p99: result.latency.p99, failed }))
