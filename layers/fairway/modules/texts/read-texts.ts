import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getLayerDirectories, useLogger, type useNuxt } from '@nuxt/kit'
import withDefaults from 'defu'
import { parseJsonc } from '../../cli/hosts/json-entry'
import { tellFault } from '../dev-server/faults'
import { loadFwConfig } from '../registry/load-declarations'
import { platformDir, isPlatformFile } from '../registry/roots'
import {
  type Catalog,
  FEATURES_OF_THE_SERVER,
  isCatalog,
  LANGUAGE_FILE,
  languagesIn,
} from '../../server/kernel/locale-files'
import { offeredLanguages, type OfferedLanguages } from '../../server/kernel/config/languages-config'
import type { LanguageInfo } from '../../shared/languages'

export type { Catalog }
type Nuxt = ReturnType<typeof useNuxt>

/** A catalog of one feature, by its path within an application's folder. */
export const FEATURE_FILES = /^locales\/[\w-]+\/[^/]+\.json$/

const jsonFilesIn = (dir: string): string[] =>
  existsSync(dir)
    ? readdirSync(dir)
        .filter(file => file.endsWith('.json') && file !== LANGUAGE_FILE)
        .toSorted()
    : []

/** The files with an application's or the platform's texts of a language, without the server's own texts. */
export function textFilesIn(app: string, language: string): string[] {
  const dir = join(app, 'locales', language)
  const isShown = (file: string) => !isPlatformFile(app) || !FEATURES_OF_THE_SERVER.includes(basename(file, '.json'))
  return [
    `${dir}.json`,
    ...jsonFilesIn(dir)
      .filter(isShown)
      .map(file => join(dir, file)),
  ]
}

/** The files that may hold texts of a language. The application comes first, and so its texts win. */
const textFiles = (nuxt: Nuxt, language: string): string[] =>
  getLayerDirectories(nuxt).flatMap(({ app }) => textFilesIn(app, language))

const featureOfGroup = new Map(
  textFilesIn(join(platformDir, 'app'), 'en')
    .filter(file => existsSync(file))
    .flatMap(file => Object.keys(readCatalog(file)).map(group => [group, basename(file, '.json')])),
)

/** The features with a separate catalog, `frame` among them. Each page loads the catalogs that it shows. */
export const FEATURES: readonly string[] = [...new Set(featureOfGroup.values())]

/** The feature of an application's texts for visitors, `public.json`. Pages load it on request. */
export const PUBLIC_FEATURE = 'public'

/** The groups of texts that an application has for visitors. */
export const publicGroups = (nuxt: Nuxt): Set<string> =>
  new Set(
    textFiles(nuxt, 'en')
      .filter(file => basename(file) === `${PUBLIC_FEATURE}.json` && !isPlatformFile(file) && existsSync(file))
      .flatMap(file => Object.keys(catalogReader(nuxt)(file)))
      .filter(group => !featureOfGroup.has(group)),
  )

/** The feature whose catalog contains a group of texts. A group that the platform does not know is part of the frame. */
export const featureOf = (group: string): string => featureOfGroup.get(group) ?? 'frame'

/**
 * The languages of the platform and the application. Throws with the missing or invalid file. In development it logs the error
 * and returns the platform's languages, so that development continues until the fix.
 */
export function readLanguages(nuxt: Nuxt): LanguageInfo[] {
  try {
    return languagesIn(getLayerDirectories(nuxt).map(({ app }) => app))
  } catch (error) {
    if (!nuxt.options.dev) throw error
    useLogger('texts').error(error)
    return languagesIn([join(platformDir, 'app')])
  }
}

/**
 * The languages that the application offers, and its default language. Throws for an unknown one in fw.config.ts with the known
 * ones. In development it logs the error and returns all languages, so that development continues until the fix.
 */
export async function readOffered(nuxt: Nuxt): Promise<OfferedLanguages> {
  const known = readLanguages(nuxt)
  // The module modules/brand reports faults of the file.
  const settings = await loadFwConfig(nuxt.options.rootDir).catch(() => ({}))
  try {
    return offeredLanguages(settings, known)
  } catch (error) {
    if (!nuxt.options.dev) throw error
    tellFault(nuxt, 'languages', error)
    return offeredLanguages({}, known)
  }
}

/** All texts of a language, the application's over the platform's. Throws with file and line if one cannot be read. */
export const readTexts = (nuxt: Nuxt, language: string): Catalog =>
  withDefaults(
    {},
    ...textFiles(nuxt, language)
      .filter(file => existsSync(file))
      .map(file => shownOf(file, catalogReader(nuxt)(file))),
  )

const groupsOfTheServer = new Set(
  FEATURES_OF_THE_SERVER.flatMap(feature =>
    Object.keys(readCatalog(join(platformDir, 'app/locales/en', `${feature}.json`))),
  ),
)

/** Without the server's texts: an application changes those in files of the same name. */
const shownOf = (file: string, texts: Catalog): Catalog =>
  FEATURES_OF_THE_SERVER.includes(basename(file, '.json'))
    ? Object.fromEntries(Object.entries(texts).filter(([group]) => !groupsOfTheServer.has(group)))
    : texts

/** Reads a catalog. In development it logs the error of an invalid one and continues without it, so that it detects the fix. */
export const catalogReader =
  (nuxt: Nuxt) =>
  (file: string): Catalog => {
    try {
      return readCatalog(file)
    } catch (error) {
      if (!nuxt.options.dev) throw error
      useLogger('texts').error(error)
      return {}
    }
  }

/** Whether a key (`pages.home`) names one text in a group of the frame. */
export function isFrameText(texts: Catalog, key: string): boolean {
  const [group = '', ...rest] = key.split('.')
  const text = [group, ...rest].reduce<unknown>((at, name) => (isCatalog(at) ? at[name] : undefined), texts)
  return featureOf(group) === 'frame' && typeof text === 'string'
}

/** The texts of one file. Throws with its name, and with the line of invalid JSON. */
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

/** The position where a text stops being JSON: the engine's own message does not always include it. */
function placeOf(text: string): string {
  try {
    parseJsonc(text)
    return 'which has neither comments nor commas after the last entry'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
