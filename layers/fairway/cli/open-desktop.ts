import { accessSync, constants, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { createTexts } from '../app/language/texts'
import { compileTexts } from '../modules/texts/compile-texts'
import { languagesIn } from '../server/kernel/locale-files'
import { toLanguage, type Language } from '../shared/languages'
import { dataFolder, findBrowser } from '../desktop/program/places'
import type { Texts } from '../desktop/program/menu-view'
import { ProgramFault, readWorkspaceConfig } from '../desktop/program/workspace-config'
import { runProgram } from '../desktop/program/program'
import { openBrowser } from './browser'
import { replaceFile } from './change-file'
import { say, tellFailure } from './terminal'

/**
 * Shows a workspace until its last window is closed, and returns the exit code. Prints a sentence when the program cannot start.
 */
export async function openDesktop(chosen: { workspace?: string; browser?: string }): Promise<number> {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort())
  try {
    const folder = dataFolder({ platform: process.platform, env: process.env, home: homedir() })
    const path = requireBrowser(chosen.browser || process.env.FW_DESKTOP_BROWSER)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const workspace = await chooseWorkspace(folder, chosen.workspace)
    const config = await readWorkspaceConfig(workspace)
    await replaceFile(lastFile(folder), JSON.stringify({ workspace }))
    const languages = languagesIn([fileOf('app')])
    const language = toLanguage(new Intl.DateTimeFormat().resolvedOptions().locale, languages) ?? 'en'
    const hasRun = await runProgram({
      config,
      folder,
      browser: { path, args: (process.env.FW_DESKTOP_BROWSER_ARGS ?? '').split(/\s+/).filter(Boolean) },
      version: await readVersion(),
      language,
      direction: languages.find(({ code }) => code === language)?.direction ?? 'ltr',
      texts: await readTexts(language),
      openElsewhere: url => void openBrowser(url),
      signal: controller.signal,
      onStarted: () =>
        say(`The workspace of ${config.hub} opens in ${path}. It ends with its last window, or by Ctrl+C.`),
    })
    if (!hasRun) say('It is running already. Its menu is in front now.')
    // Exiting also kills a browser that did not end in time.
    process.exit()
  } catch (error) {
    if (!(error instanceof ProgramFault)) throw error
    return tellFailure(error)
  }
}

function requireBrowser(chosen: string | undefined): string {
  const found = findBrowser({ platform: process.platform, env: process.env, home: homedir(), isThere, chosen })
  if (found.path !== undefined) return found.path
  if (chosen) throw new ProgramFault(`There is no browser that can be started at ${chosen}.`)
  throw new ProgramFault(
    [
      'Google Chrome, Microsoft Edge or Chromium is needed, and none is installed here. These places were looked at:',
      ...found.lookedFor.map(place => `  ${place}`),
      'Install one (https://www.google.com/chrome, https://www.microsoft.com/edge, or the package chromium),',
      'or name one that is somewhere else with --browser <path> or FW_DESKTOP_BROWSER.',
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

const lastFile = (folder: string): string => join(folder, 'last-workspace.json')
const lastSchema = z.object({ workspace: z.string() })

/** Returns the given address or the absolute path of the workspace, or else the previous one. */
async function chooseWorkspace(folder: string, given: string | undefined): Promise<string> {
  if (given) return /^https?:\/\//i.test(given) ? given : resolve(given)
  const text = await readFile(lastFile(folder), 'utf8').catch(() => undefined)
  if (text !== undefined) return lastSchema.parse(JSON.parse(text)).workspace
  throw new ProgramFault(
    'No workspace has been opened on this computer yet. Name one: fw desktop --workspace <address of the hub, or a file>',
  )
}

const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

async function readVersion(): Promise<string> {
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(fileOf('package.json'), 'utf8'))).version
}

/** Returns the catalog's texts about the desktop in this language. */
async function readTexts(language: Language): Promise<Texts> {
  const catalog: unknown = JSON.parse(await readFile(fileOf(`app/locales/${language}/desktop.json`), 'utf8'))
  const { desktop } = z.object({ desktop: z.record(z.string(), z.json()) }).parse(catalog)
  const { t } = createTexts(compileTexts({ desktop }))
  return (key, values = {}) => t(key, values)
}
