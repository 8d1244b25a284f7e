// Nitro mounts every file in `server/api` and `server/routes`. This checks the syntax of the author's files there.
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { defineNuxtModule, useNitro, type useNuxt } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import { loadSettings } from '../brand'
import { isPlatformFile } from '../registry/roots'
import { addServerModule, checkWithBuild } from '../registry/server-modules'
import { API_PLACE, closedRoute, mayChange } from './open-routes'
import { routeFault } from './route-fault'

/**
 * Stops the build, and the development server, for an author's route that can change data without first checking the session.
 * With `routes.requireSession`, the build makes each route of `server/api` ask for one.
 */
export default defineNuxtModule({
  meta: { name: 'author-routes' },
  async setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    const { routes } = await loadSettings(nuxt)
    if (routes.requireSession) closeRoutes(nuxt)
    addServerModule('#fw/own-middleware', {
      contents: () => `export const hasOwnMiddleware = ${hasOwnMiddleware(nuxt.runWithContext(useNitro))}\n`,
      types: () =>
        '  /** Whether the application, or a module of it, has middleware on the server. */\n  export const hasOwnMiddleware: boolean\n',
    })
    const isClosed = (path: string) => routes.requireSession && path.startsWith(`${API_PLACE}/`)
    checkWithBuild(nuxt, 'author-routes', ({ scannedHandlers }) => checkRoutes(scannedHandlers, rootDir, isClosed))
  },
})

/** Lets each route of the application's `server/api` ask for a session, unless it does so itself or is declared public. */
function closeRoutes(nuxt: ReturnType<typeof useNuxt>): void {
  const pathOf = (file: string) => relative(nuxt.options.rootDir, file).split(sep).join('/')
  nuxt.hook('nitro:init', () => {
    const nitro = nuxt.runWithContext(useNitro)
    const isRoute = (path: string) =>
      path.startsWith(`${API_PLACE}/`) && nitro.scannedHandlers.some(({ handler }) => pathOf(handler) === path)
    nitro.hooks.hook('rollup:before', (_nitro, config) => {
      // First, because it reads the source as it is written.
      config.plugins = [
        {
          name: 'close-routes',
          transform(code: string, id: string) {
            const path = pathOf(id)
            const closed = isRoute(path) ? closedRoute(path, code) : undefined
            return closed === undefined ? undefined : { code: closed, map: null }
          },
        },
        config.plugins,
      ]
    })
  })
}

/** Whether the application or a module has middleware before all routes. Then no response of the platform may precede it. */
export const hasOwnMiddleware = ({ scannedHandlers, options }: Pick<Nitro, 'scannedHandlers' | 'options'>): boolean =>
  [...scannedHandlers, ...options.handlers].some(
    ({ handler, middleware, route }) => (middleware || !route) && !isPlatformFile(String(handler)),
  )

/** A route from the build. Without a method it accepts any. */
export interface FoundRoute {
  handler: string
  method?: string
  middleware?: boolean
}

const CURE =
  'Begin with `const { db, session } = await useFairway(event)` or `await requireSession(event)`, and move what is named here below it. If anyone may call the route, declare it with `definePublicRoute(…)`. Or let every route in server/api ask for a session: `routes: { requireSession: true }` in fw.config.ts.'

/**
 * Checks every route that can change data and is not the platform's, except those that the build closes. Throws with the file,
 * line, reason and fix of each that must not be served.
 */
export function checkRoutes(
  routes: readonly FoundRoute[],
  rootDir: string,
  isClosed: (path: string) => boolean = () => false,
): void {
  const files = new Set(
    routes
      .filter(({ handler, method, middleware }) => !middleware && !isPlatformFile(handler) && mayChange(method))
      .map(({ handler }) => relative(rootDir, handler).split(sep).join('/')),
  )
  const faults = [...files]
    .filter(path => !isClosed(path))
    .toSorted()
    .flatMap(path => routeFault(path, readFileSync(join(rootDir, path), 'utf8')) ?? [])
  if (faults.length > 0) {
    throw new Error(
      `These routes can change data and are not protected:\n${faults.map(fault => `  - ${fault}`).join('\n')}\n${CURE}`,
    )
  }
}
