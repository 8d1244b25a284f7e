import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type Files = Readonly<Record<string, string | Uint8Array>>

/** Writes files below a folder and creates their folders. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Creates a folder with these files; returns its path. */
export function folderWith(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'fw-files-'))
  writeFiles(folder, files)
  return folder
}
