// Nitro mounts every file in `server/api` and `server/routes`. This checks the syntax of the author's files there.
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { defineNuxtModule, useNitro } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import { isPlatformFile } from '../registry/roots'
import { addServerModule, checkWithBuild } from '../registry/server-modules'
import { routeFault } from './route-fault'

/** Stops the build, and the development server, for an author's route that can change data without first checking the session. */
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

const READING = new Set(['get', 'head', 'options', 'connect', 'trace'])

const CURE =
  'Begin with `const { db, session } = await useFairway(event)` or `await requireSession(event)`, and move what is named here below it. If anyone may call the route, declare it with `definePublicRoute(…)`.'

/**
 * Checks every route that can change data and is not the platform's. Throws with the file, line, reason and fix of each that must
 * not be served.
 */
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
