import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives all tests of a run one temporary folder, which goes with the run: databases and projects of tests fill a disk otherwise. Vitest and Playwright call it before the tests, and what it returns after them. */
export default function ownTemporaryFolder(): () => Promise<void> {
  const before = process.env.TMPDIR
  const folder = mkdtempSync(join(tmpdir(), 'fw-run-'))
  process.env.TMPDIR = folder
  return async () => {
    process.env.TMPDIR = before
    if (before === undefined) delete process.env.TMPDIR
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
