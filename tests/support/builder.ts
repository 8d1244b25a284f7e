import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./builder-service.mjs', import.meta.url))

export interface BuilderService {
  origin: string
  /** What its API was asked so far. */
  requests(): Promise<{ url: string; authorization?: string; body: string }[]>
  stop(): void
}

/** A builder service in a process of its own; `mode` is how its API answers. */
export async function startBuilder(mode = 'good'): Promise<BuilderService> {
  const child = spawn(process.execPath, [PROGRAM, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
  const origin = await new Promise<string>(resolve => child.stdout.once('data', line => resolve(String(line).trim())))
  return {
    origin,
    requests: async () => (await fetch(`${origin}/test/requests`)).json(),
    stop: () => void child.kill('SIGKILL'),
  }
}

/** What this service hands out; no text of ours may repeat the keys. */
export const builderKeys = { privateKey: 'bpk-very-secret-private', publicKey: 'public0123456789' }
