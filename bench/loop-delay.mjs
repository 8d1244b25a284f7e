// Loaded into a server by NODE_OPTIONS: writes how late its event loop was into the file that LOOP_DELAY_FILE names, ten times a
// second; a file beside it, `.begin`, begins anew.
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
