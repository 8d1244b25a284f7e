import { createHash } from 'node:crypto'
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTarGzip } from 'nanotar'
import { expect } from 'vitest'
import { VERSION } from '../../layers/fairway/shared/package'
import { writeFiles } from '../support/files'
import { SECRET } from '../support/secrets'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

export { VERSION }
/** The version that tests upgrade to: later than any real one. */
export const NEXT = '99.0.0'

/** Generated files, which no author writes. */
const MADE = /^(node_modules|\.nuxt|\.output|\.data|\.git)(\/|$)|\.tsbuildinfo$/

/** The commands of the package itself. */
const OWN_COMMANDS = new Set(['fw', 'nuxt-fairway'])

export interface Ended {
  code: number
  out: string
  seconds: number
}

/** Runs a program in a folder until it ends, with the machine's own Node and without this repository's commands. */
export function run(folder: string, command: string, args: string[], env: NodeJS.Dict<string> = {}): Promise<Ended> {
  const began = performance.now()
  const options = { cwd: folder, env: { ...outsideEnv(), ...env }, maxBuffer: 64 * 2 ** 20 }
  return new Promise(resolve => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0
      resolve({ code, out: stdout + stderr, seconds: (performance.now() - began) / 1000 })
    })
  })
}

/** Runs a command in a folder, prints its seconds and returns its output. A failure reports that output. */
export async function runOk(folder: string, command: string, ...args: string[]): Promise<string> {
  const { code, out, seconds } = await run(folder, command, args)
  console.log(`${[command, ...args].join(' ')}: ${seconds.toFixed(1)} s`)
  expect(code, out).toBe(0)
  return out
}

/** The settings of a built application that people sign up to by password. */
export const settingsOf = (origin: string, dataDir: string) => ({
  NODE_ENV: 'test',
  PORT: new URL(origin).port,
  FW_BASE_URL: origin,
  FW_DATA_DIR: dataDir,
  BETTER_AUTH_SECRET: SECRET,
  AUTH_MAGIC_LINK: '0',
  AUTH_SKIP_EMAIL_VERIFICATION: '1',
})

/** The empty npm cache of `npm run test:starter -- fresh`, which also ignores lockfiles. */
export const freshCache = process.env.FW_TEST_FRESH_CACHE

/** An environment without this repository's paths. */
export function outsideEnv(): NodeJS.Dict<string> {
  const { HOME, PATH = '', TMPDIR } = process.env
  return {
    HOME,
    TMPDIR,
    ...(freshCache ? { npm_config_cache: freshCache, npm_config_prefer_online: 'true' } : {}),
    PATH: PATH.split(':')
      .filter(path => !path.startsWith(root))
      .join(':'),
    CI: '1',
  }
}

/** An empty folder outside of this repository. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'fw-starter-'))

/** Packs this checkout's platform into a folder; returns the path of the file. */
export async function packLayer(folder: string): Promise<string> {
  const { code, out } = await run(join(root, 'layers/fairway'), 'npm', [
    'pack',
    '--pack-destination',
    folder,
    '--loglevel=error',
  ])
  if (code !== 0) throw new Error(out)
  return join(folder, `nuxt-fairway-${VERSION}.tgz`)
}

/** Unpacks a package into a folder. */
export async function unpack(tarball: string, folder: string): Promise<void> {
  for (const { name, data } of await parseTarGzip(readFileSync(tarball))) {
    if (data) writeFiles(folder, { [name.replace(/^package\//, '')]: data })
  }
}

/** Installs the packed platform in a project and links all other packages of this checkout, so that npm downloads nothing. */
export async function linkPackages(project: string, tarball: string): Promise<void> {
  const modules = join(project, 'node_modules')
  await unpack(tarball, join(modules, 'nuxt-fairway'))
  const link = (name: string) => symlinkSync(join(root, 'node_modules', name), join(modules, name))
  const isOther = (name: string) => name !== 'nuxt-fairway' && !name.startsWith('.')
  for (const name of readdirSync(join(root, 'node_modules')).filter(isOther)) link(name)
  mkdirSync(join(modules, '.bin'))
  for (const name of readdirSync(join(root, 'node_modules/.bin'))) if (!OWN_COMMANDS.has(name)) link(`.bin/${name}`)
  chmodSync(join(modules, 'nuxt-fairway/cli/fw.mjs'), 0o755)
  for (const name of OWN_COMMANDS) symlinkSync('../nuxt-fairway/cli/fw.mjs', join(modules, '.bin', name))
}

/** The author's files in a project, each with the hash of its content. */
export function authorFiles(project: string): Record<string, string> {
  const below = (dir: string): string[] =>
    readdirSync(join(project, dir), { withFileTypes: true }).flatMap(entry => {
      const path = dir ? `${dir}/${entry.name}` : entry.name
      if (MADE.test(path)) return []
      return entry.isDirectory() ? below(path) : [path]
    })
  return hashesOf(project, below(''))
}

/** Every file of the installed platform with its hash. */
export function platformFiles(project: string): Record<string, string> {
  const folder = join(project, 'node_modules/nuxt-fairway')
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(path => !path.startsWith('node_modules/'))
  return hashesOf(folder, paths)
}

const hashesOf = (folder: string, paths: string[]) =>
  Object.fromEntries(
    paths.toSorted().map(path => [
      path,
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    ]),
  )

/** The paths that differ between two states of files. */
export function changedFiles(before: Record<string, string>, after: Record<string, string>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter(name => before[name] !== after[name]).toSorted()
}

export interface Running {
  log(): string
  stop(): Promise<void>
}

/** Starts a script of a project and waits until the server is ready at this address. */
export const startScript = (project: string, script: string, origin: string, env?: NodeJS.Dict<string>) =>
  startProgram(project, ['npm', 'run', script], origin, env)

/** Starts a program in a project and waits until the server is ready at this address. */
export async function startProgram(
  project: string,
  [command = '', ...args]: readonly string[],
  origin: string,
  env: NodeJS.Dict<string> = {},
): Promise<Running> {
  if (await fetch(origin, { signal: AbortSignal.timeout(5000) }).catch(() => undefined))
    throw new Error(`Another program answers at ${origin}.`)
  const child = spawn(command, args, {
    cwd: project,
    env: { ...outsideEnv(), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => written.push(String(chunk)))
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const log = () => written.join('')
  const stop = async () => {
    // Stops npm and the server that it started.
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  // With an empty cache, `npm run dev` downloads every package first.
  const limit = performance.now() + (freshCache ? 900_000 : 120_000)
  for (;;) {
    const answer = await fetch(`${origin}/_fw/health/ready`, { signal: AbortSignal.timeout(5000) }).catch(
      () => undefined,
    )
    if (answer?.ok) return { log, stop }
    if (child.exitCode !== null || performance.now() > limit) {
      await stop()
      throw new Error(`${command} ${args.join(' ')} is not ready:\n${log()}`)
    }
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
