import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addTemplate, defineNuxtModule, getLayerDirectories } from '@nuxt/kit'
import { defu } from 'defu'

/** The platform's texts that only some pages and dialogs need and that come with them; all others come with the frame. */
const PARTS = {
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
  about: ['about'],
  embed: ['embed'],
  connect: ['connect', 'scopes'],
  tools: ['tools', 'scopes'],
  apps: ['apps', 'scopes'],
}

type Catalog = Record<string, unknown>

/**
 * Gives `#build/texts/…`: the catalogs of the application over those of the platform. English comes in parts, so that the first
 * page does not load the texts of every page; a group that the platform does not know comes with the frame.
 */
export default defineNuxtModule({
  meta: { name: 'texts' },
  setup(_options, nuxt) {
    // The application comes first, and so its texts win.
    const files = (language: string) =>
      getLayerDirectories(nuxt).map(({ app }) => join(app, `locales/${language}.json`))
    const read = (language: string): Catalog =>
      defu(
        {},
        ...files(language)
          .filter(file => existsSync(file))
          .map(readCatalog),
      )
    const elsewhere = new Set(Object.values(PARTS).flat())
    const add = (name: string, contents: () => Catalog) =>
      addTemplate({
        filename: `texts/${name}.ts`,
        write: true,
        getContents: () => `export default ${JSON.stringify(contents())}\n`,
      })
    const english = (isIn: (group: string) => boolean) => () =>
      Object.fromEntries(Object.entries(read('en')).filter(([group]) => isIn(group)))
    add(
      'frame',
      english(group => !elsewhere.has(group)),
    )
    for (const [part, groups] of Object.entries(PARTS))
      add(
        part,
        english(group => groups.includes(group)),
      )
    // An application may have texts in English alone.
    add('de', () => defu(read('de'), read('en')))
    nuxt.options.watch.push(...files('en'), ...files('de'))
  },
})

function readCatalog(file: string): Catalog {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
