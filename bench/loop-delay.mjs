// Loaded into a server through NODE_OPTIONS: ten times per second it writes the event loop delay into the file of
// LOOP_DELAY_FILE. A file with the suffix `.begin` resets the measurement.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const file = process.env.LOOP_DELAY_FILE
if (file) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const write = () => {
    if (existsSync(`${file}.begin`)) {
      rmSync(`${file}.begin`)
      delay.reset()
      return
    }
    writeFileSync(`${file}.new`, JSON.stringify({ p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }))
    renameSync(`${file}.new`, file)
  }
  setInterval(write, 100).unref()
}
