import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { templateFiles, templateValues } from '#fairway/cli/project/template'
import { writeFiles } from './files'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Creates an empty application as `fw new` does, with this checkout's packages; returns its folder. */
export function newApplication(): string {
  const app = mkdtempSync(join(tmpdir(), 'fw-generate-'))
  writeFiles(app, Object.fromEntries(templateFiles('empty', templateValues('tracker', 'Tracker', '0.1.0'))))
  symlinkSync(packages, join(app, 'node_modules'))
  return app
}
