import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getLayerDirectories, useLogger, type useNuxt } from '@nuxt/kit'
import { defu } from 'defu'
import { parseJsonc } from '../../cli/hosts/json-entry'

/** The platform's texts that only some pages and dialogs need and that come with them; all others come with the frame. */
export const PARTS = {
  organizations: ['org', 'invitations', 'invitationPage', 'team', 'orgFailures'],
  collections: ['collection'],
  settings: ['settings', 'passwordFailures'],
  devices: ['devices'],
  desktop: ['desktop'],
  factors: ['factors', 'factorFailures'],
  connections: ['connections', 'connectionFailures', 'vault'],
  audit: ['audit', 'records'],
  security: ['security', 'records'],
  palette: ['palette'],
  localMigration: ['localMigration'],
  start: ['start'],
  about: ['about'],
  build: ['build'],
  embed: ['embed'],
  connect: ['connect', 'scopes'],
  tools: ['tools', 'scopes'],
  apps: ['apps', 'scopes'],
}

export type Catalog = Record<string, unknown>
type Nuxt = ReturnType<typeof useNuxt>

const elsewhere = new Set(Object.values(PARTS).flat())

/** Whether a group of texts comes with the frame. */
export const isInFrame = (group: string): boolean => !elsewhere.has(group)

/** The files that may hold texts of a language; the application comes first, and so its texts win. */
export const textFiles = (nuxt: Nuxt, language: string): string[] =>
  getLayerDirectories(nuxt).map(({ app }) => join(app, `locales/${language}.json`))

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
  return isInFrame(group) && typeof found === 'string'
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

const isCatalog = (value: unknown): value is Catalog =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
