import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as desktopProgram from 'nuxt-fairway-desktop/program'
import { z } from 'zod'
import { createTexts } from '../app/language/texts'
import { compileTexts } from '../modules/texts/compile-texts'
import { createLoader } from '../modules/registry/load-declarations'
import { platformDir } from '../modules/registry/roots'
import { languagesIn } from '../server/kernel/locale-files'
import { toLanguage, type Language } from '../shared/languages'
import { DESKTOP_PACKAGE, VERSION } from '../shared/package'
import { openBrowser } from './browser'
import { say } from './terminal'

/** Shows a workspace in the system's language until its last window is closed; then the process ends. */
export async function openDesktop(chosen: {
  workspace?: string
  browser?: string
  'browser-args'?: string
}): Promise<never> {
  // The package is TypeScript, which Node does not load below node_modules.
  const program = createRequire(`${platformDir}/package.json`).resolve(`${DESKTOP_PACKAGE}/program`)
  const { openWorkspace } = (await createLoader(process.cwd(), { whole: true })(program)) as typeof desktopProgram
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort())
  const languages = languagesIn([join(platformDir, 'app')])
  const language = toLanguage(new Intl.DateTimeFormat().resolvedOptions().locale, languages) ?? 'en'
  const hasRun = await openWorkspace({
    ...chosen,
    browserArgs: chosen['browser-args']?.split(/\s+/).filter(Boolean),
    env: process.env,
    version: VERSION,
    language,
    direction: languages.find(({ code }) => code === language)?.direction ?? 'ltr',
    texts: await readTexts(language),
    openElsewhere: url => void openBrowser(url),
    signal: controller.signal,
    onStarted: ({ hub, browser }) =>
      say(`The workspace of ${hub} opens in ${browser}. It ends with its last window, or by Ctrl+C.`),
  })
  if (!hasRun) say('It is running already. Its menu is in front now.')
  // Exiting also kills a browser that did not end in time.
  process.exit()
}

/** Returns the catalog's texts about the desktop in this language. */
async function readTexts(language: Language) {
  const file = join(platformDir, `app/locales/${language}/desktop.json`)
  const catalog: unknown = JSON.parse(await readFile(file, 'utf8'))
  const { desktop } = z.object({ desktop: z.record(z.string(), z.json()) }).parse(catalog)
  const { t } = createTexts(compileTexts({ desktop }))
  return (key: string, values: Readonly<Record<string, string | number>> = {}) => t(key, values)
}
