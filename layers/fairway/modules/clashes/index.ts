import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { addVitePlugin, defineNuxtModule, getLayerDirectories, useLogger, type useNuxt } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import type { NuxtApp } from 'nuxt/schema'
import { type PageFile, withChildren } from '../pages/page-files'
import { routesOfActions } from '../registry/action-addresses'
import { addressedActions } from '../registry/catalogs'
import { isPlatformFile, withShortPaths } from '../registry/roots'
import { checkWithBuild } from '../registry/server-modules'
import {
  fileClashes,
  gateClashes,
  headersWithoutEffect,
  localizedPages,
  pageClashes,
  routeClashes,
  ruleClashes,
  scanRoutes,
  takenPaths,
} from './path-clashes'
import { importClashes, refuseServerCode, sourcesBelow, settingClashes } from './import-clashes'

/**
 * Stops the build when the application would take a path or the place of something of the platform's. The error names the file
 * and the fix.
 */
export default defineNuxtModule({
  meta: { name: 'clashes' },
  setup(_options, nuxt) {
    for (const { server } of getLayerDirectories()) addVitePlugin(refuseServerCode(server))
    let pages: PageFile[] = []
    nuxt.hook('pages:resolved', resolved => {
      pages = resolved
    })
    let middleware: NuxtApp['middleware'] = []
    nuxt.hook('app:resolve', app => {
      middleware = app.middleware
    })
    const told = new Set<string>()
    checkWithBuild(nuxt, 'clashes', async nitro => {
      const routes = await findRoutes(nuxt, nitro)
      for (const lost of headersWithoutEffect(ownRules(nuxt), pages, routes)) {
        // In development this runs with every build.
        if (!told.has(lost)) useLogger('clashes').warn(lost)
        told.add(lost)
      }
      const clashes = [...gateClashes(middleware), ...findClashes(nuxt, nitro, { pages, routes })]
      if (clashes.length === 0) return
      const lines = clashes.map(clash => `  - ${withShortPaths(clash, nuxt.options.rootDir)}`)
      throw new Error(`The application and the platform are in each other's way:\n${lines.join('\n')}`)
    })
    if (!nuxt.options.dev) return
    nuxt.hook('builder:watch', (event, path) => {
      const file = resolve(nuxt.options.srcDir, path)
      if (event === 'unlink' || !ownSources(nuxt).includes(file)) return
      for (const clash of importClashes([file], nuxt.options.rootDir))
        useLogger('clashes').error(withShortPaths(clash, nuxt.options.rootDir))
    })
  },
})

/** The routes of the application and of the platform, as Nitro finds them. */
async function findRoutes(nuxt: ReturnType<typeof useNuxt>, nitro: Nitro) {
  const mounted = nitro.options.handlers.map(({ handler, ...rest }) => ({ ...rest, handler: String(handler) }))
  const actions = addressedActions(nuxt.options.rootDir)
  // What an application may do at its own routes, it may do at the addresses of its actions.
  const isAddress = ({ route }: { route?: string }) => actions.some(({ address }) => address?.route === route)
  return [...(await scanRoutes(nitro)), ...mounted].filter(each => !(isPlatformFile(each.handler) && isAddress(each)))
}

/** The route rules of the application and of the layers between it and the platform. */
const ownRules = (nuxt: ReturnType<typeof useNuxt>): Record<string, object> =>
  Object.assign(
    {},
    ...nuxt.options._layers
      .filter(({ cwd }) => !isPlatformFile(cwd))
      .toReversed()
      .flatMap(({ config }) => [config.routeRules ?? {}, config.nitro?.routeRules ?? {}]),
  )

function findClashes(
  nuxt: ReturnType<typeof useNuxt>,
  { options }: Nitro,
  { pages, routes }: { pages: readonly PageFile[]; routes: Awaited<ReturnType<typeof findRoutes>> },
): string[] {
  const taken = takenPaths(routes, withChildren(pages))
  return [
    ...routeClashes(routes, taken),
    ...routesOfActions(addressedActions(nuxt.options.rootDir), routes),
    ...fileClashes(options.publicAssets, taken, nuxt.options.buildDir),
    ...ruleClashes(options.routeRules, taken, new Set(Object.keys(ownRules(nuxt)))),
    ...localizedPages(pages),
    ...pageClashes(pages, taken),
    ...importClashes(ownSources(nuxt), nuxt.options.rootDir),
    ...settingClashes({ ...nuxt.options.nitro, alias: nuxt.options.alias }, nuxt.options.rootDir),
  ]
}

/** The sources of the application and of the layers between it and the platform. */
function ownSources(nuxt: ReturnType<typeof useNuxt>): string[] {
  const folders = getLayerDirectories(nuxt).filter(({ app }) => !isPlatformFile(app))
  const config = join(nuxt.options.rootDir, 'fw.config.ts')
  return [
    ...folders.flatMap(({ app, server, shared }) => [app, server, shared].flatMap(sourcesBelow)),
    ...(existsSync(config) ? [config] : []),
  ]
}
