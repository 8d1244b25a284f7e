import { readFileSync } from 'node:fs'
import { addVitePlugin, defineNuxtModule } from '@nuxt/kit'
import colors from 'tailwindcss/colors'
import { platformDir } from '../registry/roots'

const NO_TOASTER = '\0no-toaster'
const COLORS = '\0named-colors'
const SHARED_CLASSES = '\0shared-classes'

/** Replaces parts of Nuxt UI that every page would load, although little of them is used. */
export default defineNuxtModule({
  meta: { name: 'light-parts' },
  setup(_options, nuxt) {
    let settings: string[] = []
    nuxt.hook('app:resolve', ({ configs }) => void (settings = configs))
    /** The colours that the settings of the application or of a layer name, of the 26 in Tailwind. */
    function namedColors() {
      const named = [JSON.stringify(nuxt.options.appConfig), ...settings.map(file => readFileSync(file, 'utf8'))].join()
      return Object.fromEntries(Object.entries(colors).filter(([name]) => named.includes(name)))
    }
    addVitePlugin({
      name: 'fairway:light-parts',
      enforce: 'pre',
      resolveId(source, importer = '') {
        // Saves a twentieth of the first page. components/states/ToastList.vue replaces it, so this renders only its slot.
        if (source === './Toaster.vue' && importer.includes('@nuxt/ui/dist/runtime/components/App.vue'))
          return NO_TOASTER
        if (source === 'tailwindcss/colors' && importer.includes('@nuxt/ui/')) return COLORS
        if (/@nuxt\/icon\/(dist\/)?runtime\/components\/index(\.js)?$/.test(source)) return `${platformDir}/app/icon.ts`
        if (/^ohash(\/utils)?$/.test(source) && /\/(@nuxt\/ui|reka-ui)\/dist\//.test(importer))
          return `${platformDir}/app/equal.ts`
        if (source.endsWith('/utils/tv') && importer.includes('@nuxt/ui/dist/runtime/components/'))
          return SHARED_CLASSES
        return undefined
      },
      load(id) {
        if (id === NO_TOASTER) return 'export default { setup: (_, { slots }) => () => slots.default?.() }'
        if (id === SHARED_CLASSES)
          return `import { tv as plain } from '@nuxt/ui/utils/tv'
            import { shareClasses } from ${JSON.stringify(`${platformDir}/app/share-classes.ts`)}
            export const tv = shareClasses(plain)`
        return id === COLORS ? `export default ${JSON.stringify(namedColors())}` : undefined
      },
    })
  },
})
