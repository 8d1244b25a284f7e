import { accessSync, constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { createFilePreferences } from './chromium-host'
import { dataFolder, findBrowser } from './places'
import { type ProgramInput, runProgram } from './program'
import { ProgramFault, readWorkspaceConfig } from './workspace-config'

export type OpenInput = Omit<ProgramInput, 'browser' | 'config' | 'folder' | 'onStarted'> & {
  /** The address of the hub, or a file that names hub and applications; the previous one by default. */
  workspace?: string
  /** The path of a browser; by default the first that is found. */
  browser?: string
  /** Further arguments for that browser. */
  browserArgs?: string[]
  env: Readonly<Record<string, string | undefined>>
  /** Called when this is the only program of the workspace, and it starts. */
  onStarted(started: { hub: string; browser: string }): void
}

/**
 * Shows a workspace until its last window is closed. Returns false when the program runs already; that program then shows its
 * menu. Throws `ProgramFault` when it cannot start. The caller must end the process afterwards.
 */
export async function openWorkspace(input: OpenInput): Promise<boolean> {
  const { workspace, browser, browserArgs = [], env, onStarted, ...rest } = input
  const { platform } = process
  const path = requireBrowser({ platform, env, home: homedir(), isThere, chosen: browser })
  const folder = dataFolder({ platform, env, home: homedir() })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const last = createFilePreferences(join(folder, 'last-workspace.json'))
  const wanted = absolute(workspace) ?? z.string().safeParse(await last.get('workspace')).data
  if (wanted === undefined)
    throw new ProgramFault(
      'No workspace has been opened on this computer yet. Name one: fw desktop --workspace <address of the hub, or a file>',
    )
  const config = await readWorkspaceConfig(wanted)
  await last.set('workspace', wanted)
  return runProgram({
    ...rest,
    config,
    folder,
    browser: { path, args: browserArgs },
    onStarted: () => onStarted({ hub: config.hub, browser: path }),
  })
}

/** Returns an address as it is, and a path as an absolute one: the next start may be in another folder. */
const absolute = (location: string | undefined): string | undefined =>
  location && (/^https?:\/\//i.test(location) ? location : resolve(location))

function requireBrowser(input: Parameters<typeof findBrowser>[0]): string {
  const browser = findBrowser(input)
  if (browser.path !== undefined) return browser.path
  if (input.chosen) throw new ProgramFault(`There is no browser that can be started at ${input.chosen}.`)
  throw new ProgramFault(
    [
      'Google Chrome, Microsoft Edge or Chromium is needed, and none is installed here. These places were looked at:',
      ...browser.lookedFor.map(place => `  ${place}`),
      'Install one (https://www.google.com/chrome, https://www.microsoft.com/edge, or the package chromium),',
      'or name one that is somewhere else with --browser <path>.',
    ].join('\n'),
  )
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
