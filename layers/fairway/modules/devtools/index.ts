import { join } from 'node:path'
import { addServerHandler, addServerPlugin, defineNuxtModule, type useNuxt } from '@nuxt/kit'
import { DEVTOOLS_PATH } from '../../shared/paths'
import { platformDir } from '../registry/roots'

/** A tab of Nuxt DevTools, as its hook expects it. */
interface Tab {
  name: string
  title: string
  icon: string
  category: 'server'
  view: { type: 'iframe'; src: string }
}

declare module '@nuxt/schema' {
  interface NuxtHooks {
    'devtools:customTabs'(tabs: Tab[]): void
  }
}

/**
 * The development server's tools at /_fw/devtools, also as a tab of Nuxt DevTools. A production build contains none of this code.
 */
export default defineNuxtModule({
  meta: { name: 'devtools' },
  setup(_options, nuxt) {
    if (nuxt.options.dev) serve(nuxt)
  },
})

function serve(nuxt: ReturnType<typeof useNuxt>): void {
  const folder = join(platformDir, 'server/devtools')
  for (const route of [DEVTOOLS_PATH, `${DEVTOOLS_PATH}/**`])
    addServerHandler({ route, handler: join(folder, 'route') })
  addServerPlugin(join(folder, 'recorder'))
  nuxt.hook('devtools:customTabs', tabs => {
    tabs.push({
      name: 'fairway',
      title: 'Fairway',
      icon: 'i-lucide-flag',
      category: 'server',
      view: { type: 'iframe', src: DEVTOOLS_PATH },
    })
  })
}
