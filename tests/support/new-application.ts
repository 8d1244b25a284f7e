import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { templateFiles, templateValues } from '#fairway/cli/project/template'
import { writeFiles } from './files'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const EMPTY = templateFiles('empty', templateValues('tracker', 'Tracker', '0.1.0'))
const ENGLISH_ONLY = Object.fromEntries([...EMPTY].filter(([path]) => !path.startsWith('app/locales/')))

/**
 * Creates an empty application as `fw new` does, with English only and this checkout's packages, or a copy of another; returns its
 * folder.
 */
export function newApplication(original?: string): string {
  const app = mkdtempSync(join(tmpdir(), 'fw-generate-'))
  if (original === undefined) writeFiles(app, ENGLISH_ONLY)
  else cpSync(original, app, { recursive: true, filter: path => !path.endsWith('node_modules') })
  symlinkSync(packages, join(app, 'node_modules'))
  return app
}

/** Lets the author of an application write migrations by hand, so that generating runs no drizzle-kit. */
export function writeMigrationsByHand(app: string): void {
  rmSync(join(app, 'drizzle/meta'), { recursive: true, force: true })
  writeFiles(app, { 'drizzle/0000_mine.sql': 'CREATE TABLE `mine` (`id` text);' })
}
