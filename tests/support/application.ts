import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))

export interface TestApplication {
  root: string
  /** Writes a file of the author's, with its folders. */
  write(path: string, text: string): void
  /** Takes a file or a folder away. */
  remove(path: string): void
}

/** An application of an author's in a folder of its own, with the packages of this repository; without files it has a nuxt.config only. */
export function createApplication(files: Record<string, string> = {}): TestApplication {
  const root = mkdtempSync(join(tmpdir(), 'fw-application-'))
  // One by one: what tools keep in node_modules belongs to this application.
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(packages).filter(name => !name.startsWith('.')))
    symlinkSync(join(packages, name), join(root, 'node_modules', name))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('package.json', JSON.stringify({ name: 'application', private: true, type: 'module' }))
  write('nuxt.config.ts', `export default defineNuxtConfig({ extends: ['nuxt-fairway'] })\n`)
  for (const [path, text] of Object.entries(files)) write(path, text)
  return { root, write, remove: path => rmSync(join(root, path), { recursive: true }) }
}
