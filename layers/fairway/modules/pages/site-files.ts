// The platform serves robots.txt and sitemap.xml unless the application does.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { addServerHandler, getLayerDirectories, type useNuxt } from '@nuxt/kit'
import { loadFwConfig } from '../registry/load-declarations'
import { isPlatformFile, platformDir } from '../registry/roots'
import { readLanguages, textFilesIn } from '../texts/read-texts'

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
 * The languages in the addresses of public pages: those of fw.config.ts, or those in which the application has texts. English is
 * always the first.
 */
export async function publicLanguages(nuxt: Nuxt): Promise<string[]> {
  const known = readLanguages(nuxt).map(({ code }) => code)
  const { languages } = await loadFwConfig(nuxt.options.rootDir)
    .then(config => config.publicPages)
    // The module modules/brand reports faults of the file.
    .catch(() => ({ languages: undefined }))
  const unknown = languages?.find(code => !known.includes(code))
  if (unknown !== undefined)
    throw new Error(`fw.config.ts: publicPages.languages has “${unknown}”; there are ${known.join(', ')}`)
  const isSpoken = (code: string) =>
    languages
      ? languages.includes(code)
      : ownLayers(nuxt).some(({ app }) => textFilesIn(app, code).some(file => existsSync(file)))
  return known.filter(code => code === 'en' || isSpoken(code))
}
