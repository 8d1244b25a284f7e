import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildNuxt, loadNuxt, useNitro } from '@nuxt/kit'
import { leavePackagesOutside } from '../../scripts/quick-build.mjs'
import { writeFiles } from './files'

const run = promisify(execFile)
const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const MINUTE = 60_000

export interface AuthorProject {
  dir: string
  /** Writes a file of the author's, with its folders. */
  write(path: string, text: string): void
  /** Takes a file or a folder away; without a path the whole project, which also ends with the process. */
  remove(path?: string): void
}

/** An application of an author's in a folder of its own, with the packages of this repository; without files it has a nuxt.config only. */
export function writeProject(files: Record<string, string> = {}): AuthorProject {
  const dir = mkdtempSync(join(tmpdir(), 'fw-author-'))
  // One by one: what tools keep in node_modules belongs to this application.
  mkdirSync(join(dir, 'node_modules'))
  for (const name of readdirSync(packages).filter(name => !name.startsWith('.')))
    symlinkSync(join(packages, name), join(dir, 'node_modules', name))
  const write = (path: string, text: string) => writeFiles(dir, { [path]: text })
  const remove = (path = '.') => rmSync(join(dir, path), { recursive: true, force: true })
  process.once('exit', () => remove())
  const all = {
    'package.json': '{ "name": "author", "private": true, "type": "module" }\n',
    'nuxt.config.ts': `export default defineNuxtConfig({ extends: ['nuxt-fairway'] })\n`,
    ...files,
  }
  writeFiles(dir, all)
  return { dir, write, remove }
}

/** What `nuxt prepare` or `nuxt build` says in a project; throws with that where it fails. */
export async function runNuxt({ dir }: AuthorProject, command: 'prepare' | 'build'): Promise<string> {
  const env = { ...process.env, NODE_ENV: command === 'build' ? 'production' : 'development', NO_COLOR: '1' }
  const { stdout, stderr } = await run(join(packages, '.bin/nuxt'), [command], {
    cwd: dir,
    env,
    timeout: 10 * MINUTE,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout + stderr
}

/** Builds the server of a project without its pages, which take longest; gives the folder of what was built. */
export async function buildServer({ dir }: AuthorProject): Promise<string> {
  const withoutPages = { bundle: async () => undefined }
  const overrides = { telemetry: false, logLevel: 'silent' as const, sourcemap: false, builder: withoutPages }
  const nuxt = await loadNuxt({ cwd: dir, ready: false, overrides })
  leavePackagesOutside(nuxt)
  nuxt.hook('nitro:init', () => {
    const { options } = nuxt.runWithContext(useNitro)
    options.renderer = undefined
    options.handlers = options.handlers.filter(({ route }) => route !== '/__nuxt_error')
  })
  await nuxt.ready()
  await buildNuxt(nuxt)
  await nuxt.close()
  return join(dir, '.output')
}
