import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The path of a file of an installed client. */
export const installed = (path: string): string =>
  join(fileURLToPath(new URL('../clients/node_modules', import.meta.url)), path)

/** Loads a module of an installed client. Its types come from the version that this project depends on. */
export const loadInstalled = <Module>(path: string): Promise<Module> =>
  import(/* @vite-ignore */ pathToFileURL(installed(path)).href)

/** A separate home folder for a program, and an environment without commands that open a browser. */
export function strangeHome(): { home: string; env: Record<string, string> } {
  const home = mkdtempSync(join(tmpdir(), 'fw-client-'))
  for (const name of ['xdg-open', 'open']) writeFileSync(join(home, name), '#!/bin/sh\n', { mode: 0o755 })
  const env = {
    PATH: `${home}:${process.env.PATH ?? ''}`,
    BROWSER: join(home, 'open'),
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
  }
  return { home, env }
}
