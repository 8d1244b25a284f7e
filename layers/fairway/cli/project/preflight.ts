// What `fw add` looks for in an application before it changes anything: what would stop the build or the start, and what changes
// for the people who use it.
import { globSync } from 'node:fs'
import { API_PLACE, type OpenRoute, openRoutes } from '../../modules/author-routes/open-routes'
import { readIn } from './changes'
import type { LanguageModule, Raised } from './config-texts'
import type { Finding } from './finding'
import { reservedTables } from './reserved-tables'

interface PreflightInput {
  folder: string
  /** The settings of @nuxtjs/i18n in the configuration. */
  i18n: LanguageModule | undefined
  /** The packages whose versions the plan changes. */
  raised: readonly Raised[]
  /** Whether the new fw.config.ts closes `server/api`. */
  closesRoutes: boolean
}

/** Finds everything that a person should know before the platform is added, what stops it first. Changes nothing. */
export async function preflight(input: PreflightInput): Promise<Finding[]> {
  const { folder } = input
  const findings = [
    ...languageFindings(input),
    ...(await reservedTables(folder)),
    ...routeFindings(input),
    ...middlewareFindings(folder),
    ...packageFindings(input),
  ]
  return findings.toSorted((a, b) => Number(b.level === 'stops') - Number(a.level === 'stops'))
}

const I18N = '@nuxtjs/i18n'

function languageFindings({ i18n }: PreflightInput): Finding[] {
  if (!i18n) return []
  const { file, isRead, strategy = 'prefix_except_default' } = i18n
  if (isRead && strategy === 'no_prefix')
    return [
      {
        level: 'note',
        file,
        text: `${I18N} stays: your files use its useI18n and $t, and the platform's pages use their own texts.`,
        todo: 'Add a plugin that gives both one language: docs/guides/languages.md, “Beside @nuxtjs/i18n”.',
      },
    ]
  const step =
    "Set i18n: { strategy: 'no_prefix' }. Public pages have a language in their address already: /about?lang=de."
  const breaks = "puts languages before the paths of the platform's pages, and their links no longer work."
  return isRead
    ? [{ level: 'stops', file, text: `${I18N} with the strategy ${strategy} ${breaks}`, todo: step }]
    : [{ level: 'note', file, text: `The settings of ${I18N} could not be read. A prefix ${breaks}`, todo: step }]
}

const SWITCH = 'routes: { requireSession: true }'

function routeFindings({ folder, closesRoutes }: PreflightInput): Finding[] {
  const config = readIn(folder, 'fw.config.ts')
  const isClosed = closesRoutes || /requireSession:\s*true/.test(config ?? '')
  return openRoutes(folder).map(route => routeFinding(route, isClosed && route.path.startsWith(`${API_PLACE}/`)))
}

function routeFinding({ path, fault, canChange }: OpenRoute, isClosed: boolean): Finding {
  if (isClosed)
    return {
      level: 'note',
      file: path,
      text: `Anyone can call it today. With \`${SWITCH}\` in fw.config.ts it returns 401 without a session.`,
      todo: 'If it is meant for everyone, such as a webhook, declare its handler with definePublicRoute(…).',
    }
  const isApi = path.startsWith(`${API_PLACE}/`)
  const all = isApi ? `Write \`${SWITCH}\` into fw.config.ts, or begin` : 'Begin'
  return {
    level: canChange ? 'stops' : 'note',
    file: path,
    text: canChange
      ? `It can change data without a session, and the build refuses it (${fault.slice(path.length + 1)}).`
      : 'Anyone can call it, and reads what it returns.',
    todo: `${all} it with \`await requireSession(event)\`. If everyone may call it, declare it with definePublicRoute(…).`,
  }
}

/** Route middleware that sends visitors elsewhere: pages that are not public are rendered in the browser only. */
const middlewareFindings = (folder: string): Finding[] =>
  globSync('{app/,src/,}middleware/*.global.{ts,js,mjs}', { cwd: folder })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => /\b(navigateTo|abortNavigation)\s*\(/.test(readIn(folder, path) ?? ''))
    .map(file => ({
      level: 'note',
      file,
      text: 'Its redirect happens in the browser: the server renders public pages for everyone alike, and other pages not at all.',
      todo: 'The platform asks for a session before each page already, so the check of the session can go. Check data in routes and actions.',
    }))

function packageFindings({ raised }: PreflightInput): Finding[] {
  if (raised.length === 0) return []
  return [
    {
      level: 'note',
      file: 'package.json',
      text: `The application and the platform need one copy of: ${raised.map(({ name, from, to }) => `${name} ${from} → ${to}`).join(', ')}.`,
      todo: 'Read the notes of each new major version, and run your tests after the installation.',
    },
  ]
}
