import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../change-file'

const tokenSchema = z.object({
  url: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
})
export type KeptTokens = z.infer<typeof tokenSchema>

const HEARTBEAT_IN_MS = 2000
const STALE_IN_MS = 15_000
const POLL_IN_MS = 50

type Environment = Record<string, string | undefined>

/** Returns the folder for tokens, in the person's configuration folder by the convention of their system. */
export function tokenFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'fairway', 'mcp')
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'fairway', 'mcp')
}

/** Returns the file with the tokens for one endpoint. */
export const tokenFile = (folder: string, url: URL): string =>
  join(folder, `${createHash('sha256').update(url.href).digest('hex').slice(0, 32)}.json`)

/** Reads the tokens in a file; undefined when it contains no usable ones. */
export async function readTokens(file: string): Promise<KeptTokens | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return tokenSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Stores tokens atomically, readable by their owner only; null deletes them. */
export async function writeTokens(file: string, tokens: KeptTokens | null): Promise<void> {
  if (tokens === null) return rm(file, { force: true })
  await replaceFile(file, `${JSON.stringify(tokens, null, 2)}\n`)
}

/** Runs the work while no other process on this machine runs work for the same file; waits for its turn. */
export async function withTokenLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  const lock = `${file}.lock`
  await takeLock(lock)
  const beat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), HEARTBEAT_IN_MS)
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    process.off('exit', release)
    await rm(lock, { force: true })
  }
}

async function takeLock(lock: string): Promise<void> {
  for (;;) {
    const handle = await open(lock, 'wx', 0o600).catch(unlessTaken)
    if (handle) return handle.close()
    // The lock was not touched for a while, so its process has died.
    if ((await ageInMs(lock)) > STALE_IN_MS) await removeStale(lock)
    else await pause()
  }
}

const pause = () => new Promise(resolve => setTimeout(resolve, POLL_IN_MS))

/** The time since a file was touched; 0 when there is none. */
const ageInMs = (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )

/** Removes a stale lock. One process at a time looks again and removes it, so nobody removes the lock that follows. */
async function removeStale(lock: string): Promise<void> {
  const guard = `${lock}.takeover`
  const handle = await open(guard, 'wx', 0o600).catch(unlessTaken)
  if (!handle) return (await ageInMs(guard)) > STALE_IN_MS ? rm(guard, { force: true }) : void (await pause())
  await handle.close()
  if ((await ageInMs(lock)) > STALE_IN_MS) await rm(lock, { force: true })
  await rm(guard, { force: true })
}

function unlessTaken(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
  throw error
}
