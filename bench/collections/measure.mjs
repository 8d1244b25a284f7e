import { median } from '../built-server.mjs'

/**
 * Microseconds of processor time of each case, measured in turns so that what else the machine does hits all of them alike:
 * medians over the rounds, each round the mean of a slice of at least `sliceInMs`. What a case has as `before` is not measured.
 */
export async function measure(cases, { rounds = 21, sliceInMs = 20 } = {}) {
  const names = Object.keys(cases)
  const samples = Object.fromEntries(names.map(name => [name, []]))
  for (const name of names) await slice(cases[name], 5 * sliceInMs)
  for (let round = 0; round < rounds; round++)
    for (const name of names) samples[name].push(await slice(cases[name], sliceInMs))
  return {
    micros: Object.fromEntries(names.map(name => [name, Math.round(median(samples[name]))])),
    /** How many times as much the first takes as the second. */
    ratio: (one, other) => median(samples[one]) / median(samples[other]),
  }
}

const cpuMicros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function slice(run, sliceInMs) {
  const { before } = run
  let used = 0
  let runs = 0
  do {
    before?.()
    const began = cpuMicros()
    await run()
    used += cpuMicros() - began
    runs++
  } while (used < sliceInMs * 1000)
  return used / runs
}
