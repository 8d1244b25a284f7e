import { median } from '../built-server.mjs'

/**
 * Measures each case in microseconds of processor time. The cases take turns, so that other load on the machine affects all of
 * them equally. Returns medians over the rounds; each round is the mean of a slice of at least `sliceInMs`.
 */
export async function measure(cases, { rounds = 21, sliceInMs = 20 } = {}) {
  const names = Object.keys(cases)
  const samples = Object.fromEntries(names.map(name => [name, []]))
  for (const name of names) await slice(cases[name], 5 * sliceInMs)
  for (let round = 0; round < rounds; round++)
    for (const name of names) samples[name].push(await slice(cases[name], sliceInMs))
  return {
    micros: Object.fromEntries(names.map(name => [name, Math.round(median(samples[name]))])),
    /** Returns the time of the first case as a multiple of the second's. */
    ratio: (one, other) => median(samples[one]) / median(samples[other]),
  }
}

const cpuMicros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function slice(run, sliceInMs) {
  let used = 0
  let runs = 0
  do {
    const began = cpuMicros()
    await run()
    used += cpuMicros() - began
    runs++
  } while (used < sliceInMs * 1000)
  return used / runs
}
