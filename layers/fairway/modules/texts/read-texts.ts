import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getLayerDirectories, useLogger, type useNuxt } from '@nuxt/kit'
import { defu } from 'defu'
import { parseJsonc } from '../../cli/hosts/json-entry'
import { platformDir, isPlatformFile } from '../registry/roots'

export type Catalog = Record<string, unknown>
type Nuxt = ReturnType<typeof useNuxt>

/** What the server alone says, on its own pages and in mails (server/kernel/messages.ts); no browser loads it. */
const OF_THE_SERVER = [
  'account',
  'approval',
  'claim',
  'consent',
  'desktop-sign-in',
  'embed-start',
  'hub',
  'mails',
  'outbox',
  'sign-in',
]

/** A catalog of one feature, as Nuxt names it within an application's folder. */
export const FEATURE_FILES = /^locales\/\w+\/[^/]+\.json$/

const jsonFilesIn = (dir: string): string[] =>
  existsSync(dir)
    ? readdirSync(dir)
        .filter(file => file.endsWith('.json'))
        .toSorted()
    : []

/** The files with an application's texts of a language, or the platform's, without what the server alone says. */
export function textFilesIn(app: string, language: string): string[] {
  const dir = join(app, 'locales', language)
  const isShown = (file: string) => !isPlatformFile(app) || !OF_THE_SERVER.includes(basename(file, '.json'))
  return [
    `${dir}.json`,
    ...jsonFilesIn(dir)
      .filter(isShown)
      .map(file => join(dir, file)),
  ]
}

/** The files that may hold texts of a language; the application comes first, and so its texts win. */
export const textFiles = (nuxt: Nuxt, language: string): string[] =>
  getLayerDirectories(nuxt).flatMap(({ app }) => textFilesIn(app, language))

const featureOfGroup = new Map(
  textFilesIn(join(platformDir, 'app'), 'en')
    .filter(file => existsSync(file))
    .flatMap(file => Object.keys(readCatalog(file)).map(group => [group, basename(file, '.json')])),
)

/** The features that have a catalog of their own, `frame` among them: each page loads those that it shows. */
export const FEATURES: readonly string[] = [...new Set(featureOfGroup.values())]

/** The feature whose catalog a group of texts comes with: a group that the platform does not know comes with the frame. */
export const featureOf = (group: string): string => featureOfGroup.get(group) ?? 'frame'

/**
 * All texts of a language, the application's over the platform's; throws with file and line where one cannot be read. In
 * development it says so instead and goes on without that file, so that the cure is noticed.
 */
export function readTexts(nuxt: Nuxt, language: string): Catalog {
  const read = (file: string): Catalog => {
    try {
      return readCatalog(file)
    } catch (error) {
      if (!nuxt.options.dev) throw error
      useLogger('texts').error(error)
      return {}
    }
  }
  return defu(
    {},
    ...textFiles(nuxt, language)
      .filter(file => existsSync(file))
      .map(read),
  )
}

/** Whether a key (`pages.home`) names one text, in a group that comes with the frame. */
export function isFrameText(texts: Catalog, key: string): boolean {
  const [group = '', ...rest] = key.split('.')
  const found = [group, ...rest].reduce<unknown>((at, name) => (isCatalog(at) ? at[name] : undefined), texts)
  return featureOf(group) === 'frame' && typeof found === 'string'
}

/** The texts of one file; throws with its name, and with the line where it is no JSON. */
export function readCatalog(file: string): Catalog {
  const text = readFileSync(file, 'utf8')
  try {
    const catalog: unknown = JSON.parse(text)
    if (isCatalog(catalog)) return catalog
  } catch (error) {
    throw new Error(`${file} is no JSON, ${placeOf(text)}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  throw new Error(`${file} must be an object of groups of texts`)
}

/** Where a text stops being JSON: the engine's own message does not always say. */
function placeOf(text: string): string {
  try {
    parseJsonc(text)
    return 'which has neither comments nor commas after the last entry'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function isCatalog(value: unknown): value is Catalog {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
