// Runs one measured round: `node bench/load.mjs '<json options for autocannon>'` prints requests per second, p99 and errors.
import autocannon from 'autocannon'

const options = JSON.parse(process.argv[2])
// The load generator stays awake, because waking a sleeping core takes time: slow responses would cost the server more than quick
// ones.
let isRunning = true
const stayAwake = () => isRunning && setImmediate(stayAwake)
stayAwake()
const result = await autocannon(options)
isRunning = false
// A 304 response counts as a success.
const failed = result.errors + result.timeouts + result['4xx'] + result['5xx'] + result['1xx']
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    p99: result.latency.p99,
    sent: result.requests.total,
    failed,
  }),
)
