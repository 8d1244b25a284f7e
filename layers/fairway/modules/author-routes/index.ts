// Nitro mounts whatever lies in `server/api` and `server/routes`: the syntax of an author's files there is checked.
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { addServerTemplate, addTypeTemplate, defineNuxtModule, useNitro } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import { isPlatformFile } from '../registry/roots'
import { routeFault } from './route-fault'

/** A route of an author's that can change data and does not check the session first stops the build, and the development server. */
export default defineNuxtModule({
  meta: { name: 'author-routes' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    addServerTemplate({
      filename: '#fw/own-middleware',
      getContents: () => `export const hasOwnMiddleware = ${hasOwnMiddleware(nuxt.runWithContext(useNitro))}\n`,
    })
    addTypeTemplate(
      {
        filename: 'types/fw-own-middleware.d.ts',
        getContents: () =>
          `declare module '#fw/own-middleware' {\n  /** Whether the application, or a module of it, has middleware on the server. */\n  export const hasOwnMiddleware: boolean\n}\n`,
      },
      { nitro: true, nuxt: true },
    )
    const check = ({ scannedHandlers }: Nitro) => checkRoutes(scannedHandlers, rootDir)
    // Before the pages are built, which takes longest.
    if (!nuxt.options.dev) return void nuxt.hook('build:before', () => check(useNitro()))
    // Again after each change; what was built before goes on answering until then.
    nuxt.hook('nitro:init', () => {
      const nitro = nuxt.runWithContext(useNitro)
      nitro.hooks.hook('rollup:before', (_nitro, config) => {
        config.plugins = [config.plugins, { name: 'author-routes', buildStart: () => check(nitro) }]
      })
    })
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
