// Nitro mounts whatever lies in `server/api` and `server/routes`: the syntax of an author's files there is checked.
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { defineNuxtModule, useNitro } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import { isPlatformFile } from '../registry/roots'
import { addServerModule, checkWithBuild } from '../registry/server-modules'
import { routeFault } from './route-fault'

/** A route of an author's that can change data and does not check the session first stops the build, and the development server. */
export default defineNuxtModule({
  meta: { name: 'author-routes' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    addServerModule('#fw/own-middleware', {
      contents: () => `export const hasOwnMiddleware = ${hasOwnMiddleware(nuxt.runWithContext(useNitro))}\n`,
      types: () =>
        '  /** Whether the application, or a module of it, has middleware on the server. */\n  export const hasOwnMiddleware: boolean\n',
    })
    checkWithBuild(nuxt, 'author-routes', ({ scannedHandlers }) => checkRoutes(scannedHandlers, rootDir))
  },
})

/** Whether anything that is not the platform's comes before every route: then no answer of the platform's may come before it. */
export const hasOwnMiddleware = ({ scannedHandlers, options }: Pick<Nitro, 'scannedHandlers' | 'options'>): boolean =>
  [...scannedHandlers, ...options.handlers].some(
    ({ handler, middleware, route }) => (middleware || !route) && !isPlatformFile(String(handler)),
  )

/** A route as the build has found it; without a method it takes any. */
export interface FoundRoute {
  handler: string
  method?: string
  middleware?: boolean
}

const READING = new Set(['get', 'head', 'options', 'connect', 'trace'])

const CURE =
  'Begin with `const { db, session } = await useFairway(event)` or `await requireSession(event)`, and move what is named here below it. If anyone may call the route, declare it with `definePublicRoute(…)`.'

/** Looks at every route that can change data and is not the platform's; throws with the file, line, reason and cure of each that must not be served. */
export function checkRoutes(routes: readonly FoundRoute[], rootDir: string): void {
  const files = new Set(
    routes
      .filter(({ handler, method, middleware }) => !middleware && !isPlatformFile(handler) && mayChange(method))
      .map(({ handler }) => relative(rootDir, handler).split(sep).join('/')),
  )
  const faults = [...files]
    .toSorted()
    .flatMap(path => routeFault(path, readFileSync(join(rootDir, path), 'utf8')) ?? [])
  if (faults.length > 0) {
    throw new Error(
      `These routes can change data and are not protected:\n${faults.map(fault => `  - ${fault}`).join('\n')}\n${CURE}`,
    )
  }
}

const mayChange = (method = ''): boolean => !READING.has(method.toLowerCase())
