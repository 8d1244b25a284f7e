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
const translated = join(packages, '.cache/jiti')
const MINUTE = 60_000

export interface AuthorProject {
  dir: string
  /** Writes a file of the project and creates its folders. */
  write(path: string, text: string): void
  /** Deletes a file or a folder; without a path the whole project. The project is also deleted when the process exits. */
  remove(path?: string): void
}

/** Creates an author's application in a new folder with this repository's packages. The default file is a nuxt.config. */
export function writeProject(files: Record<string, string> = {}): AuthorProject {
  const dir = mkdtempSync(join(tmpdir(), 'fw-author-'))
  // Links each package separately, because tools write to this application's node_modules.
  mkdirSync(join(dir, 'node_modules'))
  for (const name of readdirSync(packages).filter(name => !name.startsWith('.')))
    symlinkSync(join(packages, name), join(dir, 'node_modules', name))
  // What one project has translated of the platform's sources, the next one reads.
  mkdirSync(translated, { recursive: true })
  mkdirSync(join(dir, 'node_modules/.cache'))
  symlinkSync(translated, join(dir, 'node_modules/.cache/jiti'))
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

/** Returns the output of `nuxt prepare` or `nuxt build` in a project; throws with the output on failure. */
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

/** Builds a project's server without its pages, which take longest to build. Returns the output folder. */
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
