import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId, randomToken } from '../crypto/random'

/** Reads the development secret of a data folder, or makes one (mode 0600) on first use; processes that start at once agree on one. */
export function devSecret(dataDir: string): string {
  const path = join(dataDir, 'development-secret')
  mkdirSync(dataDir, { recursive: true })
  const draft = `${path}.${newId()}`
  writeFileSync(draft, randomToken(48), { mode: 0o600 })
  try {
    // A link appears whole or not at all, so nobody reads a half-written secret.
    linkSync(draft, path)
  } catch (error) {
    if (!isAlreadyThere(error)) throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8')
}

const isAlreadyThere = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'
