import { useNitro } from '@nuxt/kit'

/**
 * Has a build import packages from where they are installed: bundling and compressing them takes half of a build, and a test that
 * looks at an author's application does not see the difference. Called before the application is ready.
 */
export function leavePackagesOutside(nuxt) {
  nuxt.hook('nitro:init', () => {
    const { options } = nuxt.runWithContext(useNitro)
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
