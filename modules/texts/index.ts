import { readFileSync } from 'node:fs'
import { addTemplate, createResolver, defineNuxtModule } from '@nuxt/kit'

/** The texts that only some pages and dialogs need and that come with them; all others come with the frame. */
const PARTS = {
  organizations: ['org', 'invitations', 'invitationPage', 'team', 'orgFailures'],
  notes: ['notes', 'home'],
  collections: ['collection'],
  settings: ['settings', 'passwordFailures'],
  devices: ['devices'],
  desktop: ['desktop'],
  factors: ['factors', 'factorFailures'],
  connections: ['connections', 'connectionFailures', 'vault'],
  audit: ['audit', 'records'],
  security: ['security', 'records'],
  palette: ['palette'],
  sharing: ['sharing'],
  localMigration: ['localMigration'],
  about: ['about'],
  embed: ['embed'],
  connect: ['connect', 'scopes'],
  tools: ['tools', 'scopes'],
  apps: ['apps', 'scopes'],
}

/** Gives `#build/texts/…`: the English catalog in parts, so that the first page does not load the texts of every page. */
export default defineNuxtModule({
  meta: { name: 'texts' },
  setup(_options, nuxt) {
    const catalog = createResolver(import.meta.url).resolve('../../app/locales/en.json')
    const elsewhere = new Set(Object.values(PARTS).flat())
    const addPart = (part: string, isIn: (group: string) => boolean) =>
      addTemplate({
        filename: `texts/${part}.ts`,
        write: true,
        getContents() {
          const groups = Object.entries(JSON.parse(readFileSync(catalog, 'utf8')) as object)
          const texts = Object.fromEntries(groups.filter(([group]) => isIn(group)))
          return `export default ${JSON.stringify(texts)}\n`
        },
      })
    addPart('frame', group => !elsewhere.has(group))
    for (const [part, groups] of Object.entries(PARTS)) addPart(part, group => groups.includes(group))
    nuxt.options.watch.push(catalog)
  },
})
