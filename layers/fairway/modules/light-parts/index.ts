import { readFileSync } from 'node:fs'
import { addVitePlugin, defineNuxtModule } from '@nuxt/kit'
import colors from 'tailwindcss/colors'
import { platformDir } from '../registry/roots'

const NO_TOASTER = '\0no-toaster'
const COLORS = '\0named-colors'

/** Gives Nuxt UI lighter parts in place of some that every page would load and that little of is used. */
export default defineNuxtModule({
  meta: { name: 'light-parts' },
  setup(_options, nuxt) {
    let settings: string[] = []
    nuxt.hook('app:resolve', ({ configs }) => void (settings = configs))
    /** The colours that the settings of the application or of a layer name, of the 26 that Tailwind has. */
    function namedColors() {
      const named = [JSON.stringify(nuxt.options.appConfig), ...settings.map(file => readFileSync(file, 'utf8'))].join()
      return Object.fromEntries(Object.entries(colors).filter(([name]) => named.includes(name)))
    }
    addVitePlugin({
      name: 'fairway:light-parts',
      enforce: 'pre',
      resolveId(source, importer = '') {
        // A twentieth of the first page, which components/states/ToastList.vue replaces: its slot alone is shown.
        if (source === './Toaster.vue' && importer.includes('@nuxt/ui/dist/runtime/components/App.vue'))
          return NO_TOASTER
        if (source === 'tailwindcss/colors' && importer.includes('@nuxt/ui/')) return COLORS
        if (/@nuxt\/icon\/(dist\/)?runtime\/components\/index(\.js)?$/.test(source)) return `${platformDir}/app/icon.ts`
        if (/^ohash(\/utils)?$/.test(source) && /\/(@nuxt\/ui|reka-ui)\/dist\//.test(importer))
          return `${platformDir}/app/equal.ts`
        return undefined
      },
      load(id) {
        if (id === NO_TOASTER) return 'export default { setup: (_, { slots }) => () => slots.default?.() }'
        return id === COLORS ? `export default ${JSON.stringify(namedColors())}` : undefined
      },
    })
  },
})
