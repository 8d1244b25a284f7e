import { useNitro } from '@nuxt/kit'

/**
 * Makes a build import packages from their installed folder. Bundling and compressing them takes half of a build, and makes no
 * difference to a test of an author's application. Call this before the application is ready.
 */
export function leavePackagesOutside(nuxt) {
  nuxt.hook('nitro:init', () => {
    const { options, hooks } = nuxt.runWithContext(useNitro)
    hooks.hook('rollup:before', (_nitro, config) => void (config.treeshake = false))
    options.minify = false
    options.compressPublicAssets = false
    options.externals = {
      ...options.externals,
      inline: options.externals.inline.filter(
        part => !(part instanceof RegExp && part.source.startsWith('node_modules')),
      ),
      trace: false,
    }
  })
}
