import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MINUTE = 60_000

export interface AuthorProject {
  dir: string
  remove(): void
}

/** An application of an author's own, in a folder that finds the packages of this one: a nuxt.config that extends the platform, and these files. */
export function writeProject(files: Record<string, string>): AuthorProject {
  const parent = resolve('test-results')
  mkdirSync(parent, { recursive: true })
  const dir = mkdtempSync(join(parent, 'author-'))
  const all = {
    'package.json': '{ "name": "author", "private": true, "type": "module" }\n',
    'nuxt.config.ts': `export default defineNuxtConfig({ extends: ['nuxt-fairway'] })\n`,
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** What `nuxt prepare` or `nuxt build` says in a project; throws with that where it fails. */
export async function runNuxt({ dir }: AuthorProject, command: 'prepare' | 'build'): Promise<string> {
  const env = { ...process.env, NODE_ENV: command === 'build' ? 'production' : 'development', NO_COLOR: '1' }
  const { stdout, stderr } = await run(resolve('node_modules/.bin/nuxt'), [command], {
    cwd: dir,
    env,
    timeout: 10 * MINUTE,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout + stderr
}
