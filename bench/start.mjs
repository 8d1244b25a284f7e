// `node bench/start.mjs [--output=<folder>] [rounds]`: measures the time from the start of the built server's process to its
// first response, on an empty and on an up-to-date database. Also measures the processor time until then, and the memory three
// seconds later. Medians of the rounds.
import { median, startBuilt } from './built-server.mjs'

const IDLE_AFTER_IN_MS = 3000

/**
 * Returns medians of the rounds: milliseconds to the first response on an empty and on an up-to-date database, processor time
 * until then, idle megabytes.
 */
export async function measureStart({ rounds, output }) {
  const seen = { empty: [], ready: [], cpu: [], idle: [] }
  for (let round = 0; round < rounds; round++) {
    const first = await startBuilt({ core: 0, output })
    await first.stop()
    const again = await startBuilt({ core: 0, output, dataDir: first.dataDir })
    seen.empty.push(first.milliseconds)
    seen.ready.push(again.milliseconds)
    seen.cpu.push(again.cpuMicros() / 1000)
    await new Promise(resolve => setTimeout(resolve, IDLE_AFTER_IN_MS))
    seen.idle.push(again.residentMegabytes())
    await again.stop()
  }
  return Object.fromEntries(Object.entries(seen).map(([name, values]) => [name, median(values)]))
}

if (import.meta.main) {
  const [rounds = 5] = process.argv
    .slice(2)
    .filter(argument => !argument.startsWith('--'))
    .map(Number)
  const { empty, ready, cpu, idle } = await measureStart({ rounds })
  const row = (name, value, unit, wanted = '') =>
    console.log(`${value.toFixed(0).padStart(6)} ${unit}  ${name}${wanted && `  (wanted ${wanted})`}`)
  row('start to first answer, empty database', empty, 'ms')
  row('start to first answer', ready, 'ms', '≤ 450')
  row('processor time until then', cpu, 'ms')
  row('idle memory', idle, 'MB', '≤ 100')
}
