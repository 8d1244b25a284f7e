// The platform serves robots.txt and sitemap.xml unless the application does.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { addServerHandler, getLayerDirectories, type useNuxt } from '@nuxt/kit'
import { loadFwConfig } from '../registry/load-declarations'
import { isPlatformFile, platformDir } from '../registry/roots'
import { readOffered, textFilesIn } from '../texts/read-texts'

type Nuxt = ReturnType<typeof useNuxt>

export const SITE_FILES = [
  { route: '/robots.txt', handler: 'server/mounted/robots' },
  { route: '/sitemap.xml', handler: 'server/mounted/sitemap' },
] as const

const ownLayers = (nuxt: Nuxt) => getLayerDirectories(nuxt).filter(({ app }) => !isPlatformFile(app))

/** Mounts robots.txt and sitemap.xml, each unless the application has a public file or a route of that name. */
export function addSiteFiles(nuxt: Nuxt): void {
  const layers = ownLayers(nuxt)
  for (const { route, handler } of SITE_FILES) {
    const isOwn = layers.some(
      dirs => existsSync(join(dirs.public, route)) || hasRoute(join(dirs.server, 'routes'), route),
    )
    if (!isOwn) addServerHandler({ route, handler: join(platformDir, handler) })
  }
}

const hasRoute = (dir: string, route: string): boolean =>
  existsSync(dir) && readdirSync(dir).some(file => `/${file}`.startsWith(`${route}.`))

/**
 * The languages in the addresses of public pages, the default language first: those of `publicPages` in fw.config.ts, else those
 * of its `languages`, else English and those in which the application has texts. Throws for a language that is not offered.
 */
export async function publicLanguages(nuxt: Nuxt): Promise<string[]> {
  const { languages, defaultLanguage } = await readOffered(nuxt)
  const offered = languages.map(({ code }) => code)
  const settings = await loadFwConfig(nuxt.options.rootDir)
    .then(config => ({ chosen: config.languages, narrowed: config.publicPages.languages }))
    // The module modules/brand reports faults of the file.
    .catch(() => ({ chosen: undefined, narrowed: undefined }))
  const unknown = settings.narrowed?.find(code => !offered.includes(code))
  if (unknown !== undefined)
    throw new Error(`fw.config.ts: publicPages.languages has “${unknown}”; there are ${offered.join(', ')}`)
  const named = settings.narrowed ?? settings.chosen
  const hasTexts = (code: string) =>
    ownLayers(nuxt).some(({ app }) => textFilesIn(app, code).some(file => existsSync(file)))
  const isPublic = (code: string) => (named ? named.includes(code) : code === 'en' || hasTexts(code))
  return [defaultLanguage, ...offered.filter(code => code !== defaultLanguage && isPublic(code))]
}
