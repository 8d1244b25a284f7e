import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Host, type HostRun, type Step, STEPS, titleOf } from './host'
import type { HostWorld } from './world'

/** A host with a function that starts it in a world. */
export type StartableHost = Host & { start(world: HostWorld): Promise<HostRun> }

/** Runs all hosts in one world. Each step is a test below its host's title. A step fails if a step that it needs has failed. */
export function tryHosts(hosts: readonly StartableHost[], startWorld: () => Promise<HostWorld>): void {
  let world: HostWorld
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world?.stop())

  describe.each(hosts.map(host => [titleOf(host), host] as const))('%s', (_title, host) => {
    let run: HostRun
    beforeAll(async () => {
      run = await host.start(world)
    })
    afterAll(() => run?.stop())
    it.each(Object.entries(STEPS))('%s: it %s', async step => void (await run[step as Step]()))
  })
}
