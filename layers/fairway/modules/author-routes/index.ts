import { defineNuxtModule, useNitro } from '@nuxt/kit'
import type { Nitro } from 'nitropack/types'
import { checkRoutes } from './check-routes'

/** A route of an author's that can change data and asks nobody who they are stops the build, and the development server. */
export default defineNuxtModule({
  meta: { name: 'author-routes' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    const check = ({ scannedHandlers }: Nitro) => checkRoutes(scannedHandlers, rootDir)
    // Before the pages are built, which takes longest.
    nuxt.hook('build:before', () => check(useNitro()))
    if (!nuxt.options.dev) return
    // Again after each change; what was built before goes on answering until then.
    nuxt.hook('nitro:init', () => {
      const nitro = nuxt.runWithContext(useNitro)
      nitro.hooks.hook('rollup:before', (_nitro, config) => {
        config.plugins = [config.plugins, { name: 'author-routes', buildStart: () => check(nitro) }]
      })
    })
  },
})
