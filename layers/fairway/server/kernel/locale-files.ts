// Replaces `#fw/texts` outside the build, where scripts load it directly: it imports only types from our code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LanguageInfo } from '../../shared/languages'

/** Groups of texts. */
export type Catalog = Record<string, unknown>
type ReadCatalog = (file: string) => Catalog

/** The texts for the server's own pages and mails; browsers do not load them. */
export const FEATURES_OF_THE_SERVER: readonly string[] = [
  'account',
  'approval',
  'claim',
  'consent',
  'desktop-sign-in',
  'embed-start',
  'hub',
  'mails',
  'outbox',
  'setup',
  'sign-in',
]

/** The texts that both browsers and the server's own pages show. */
const SHARED_FEATURES = ['errors', 'single-sign-on']

/** The file that defines a folder of app/locales as a language. */
export const LANGUAGE_FILE = 'language.json'

const platformApp = fileURLToPath(new URL('../../app', import.meta.url))

/** Returns whether a value is an object of named entries. */
export const isCatalog = (value: unknown): value is Catalog =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the languages of these `app` folders, English first and the others by name; throws with the file that is missing or
 * invalid.
 */
export function languagesIn(apps: readonly string[]): LanguageInfo[] {
  const codes = [...new Set(apps.flatMap(app => codesIn(join(app, 'locales'))))]
  const { compare } = new Intl.Collator('en')
  const isEnglish = ({ code }: LanguageInfo) => Number(code === 'en')
  return codes
    .map(code => languageOf(apps, code))
    .toSorted((a, b) => isEnglish(b) - isEnglish(a) || compare(a.name, b.name))
}

/** Returns folders, and single files that are named after a language. */
function codesIn(locales: string): string[] {
  if (!existsSync(locales)) return []
  return readdirSync(locales, { withFileTypes: true }).flatMap(entry => {
    if (entry.isDirectory()) return [entry.name]
    const code = /^([a-z]{2,3}(?:-[A-Za-z\d]{2,4})*)\.json$/.exec(entry.name)?.[1]
    return code === undefined ? [] : [code]
  })
}

function languageOf(apps: readonly string[], code: string): LanguageInfo {
  const places = apps.map(app => join(app, 'locales', code, LANGUAGE_FILE))
  const file = places.find(place => existsSync(place))
  if (file === undefined) {
    const owner = apps.findIndex(app => codesIn(join(app, 'locales')).includes(code))
    throw new Error(
      `${places[owner]} is missing: it makes the folder a language, for example { "name": "Français", "direction": "ltr" }`,
    )
  }
  if (!isLanguageTag(code))
    throw new Error(`${file}: “${code}” is no language tag; name the folder fr or pt-BR, for example`)
  const { name, direction, ...others } = parseFile(file)
  if (typeof name !== 'string' || name.trim() === '') throw new Error(`${file}: name must be the language’s own name`)
  if (direction !== 'ltr' && direction !== 'rtl') throw new Error(`${file}: direction must be "ltr" or "rtl"`)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`${file}: there is no “${unknown}”; there are name and direction`)
  return { code, name, direction }
}

function isLanguageTag(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code)[0] === code
  } catch {
    return false
  }
}

function parseFile(file: string): Catalog {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isCatalog(parsed)) return parsed
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  throw new Error(`${file} must be an object`)
}

/**
 * Returns the languages, and the server's texts in each. Earlier `app` folders override later ones, and each text missing in a
 * language is English. A mail is in a language only when one of its texts is.
 */
export function readServerTexts(
  apps: readonly string[] = [join(process.cwd(), 'app'), platformApp],
  read: ReadCatalog = parseFile,
) {
  const languages = languagesIn(apps)
  const textsOf = (code: string) => merged(apps.toReversed().map(app => serverTextsIn(app, code, read)))
  const known = Object.keys(serverTextsIn(platformApp, 'en', read))
  const english = groupsOf(textsOf('en'), [...known, 'errors'])
  const texts = languages.map(({ code }) => [code, code === 'en' ? english : over(textsOf(code), english)] as const)
  return { languages, texts: Object.fromEntries(texts) }
}

function serverTextsIn(app: string, code: string, read: ReadCatalog): Catalog {
  const files = [...FEATURES_OF_THE_SERVER, ...SHARED_FEATURES].map(name => join(app, 'locales', code, `${name}.json`))
  return merged(files.filter(file => existsSync(file)).map(read))
}

const groupsOf = (texts: Catalog, groups: readonly string[]): Catalog =>
  Object.fromEntries(groups.map(group => [group, texts[group] ?? {}]))

/** Merges a language’s texts over the English ones; errors and mails contain only its own texts. */
function over(catalog: Catalog, english: Catalog): Catalog {
  const { errors = {}, mails = {} } = catalog
  const englishMails = isCatalog(english.mails) ? english.mails : {}
  const sent = Object.entries(isCatalog(mails) ? mails : {}).filter(([name]) => Object.hasOwn(englishMails, name))
  return {
    ...groupsOf(merged([english, catalog]), Object.keys(english)),
    errors,
    mails: Object.fromEntries(
      sent.map(([name, mail]) => [name, merged([{ mail: englishMails[name] }, { mail }]).mail]),
    ),
  }
}

/** Merges catalogs, later ones over earlier ones; a list is replaced as a whole. */
function merged(catalogs: readonly Catalog[]): Catalog {
  const all: Catalog = {}
  for (const catalog of catalogs)
    for (const [key, value] of Object.entries(catalog)) {
      const before = all[key]
      all[key] = isCatalog(before) && isCatalog(value) ? merged([before, value]) : value
    }
  return all
}
