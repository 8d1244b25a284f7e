import type germanComponents from '@nuxt/ui/runtime/locale/de.js'
import { createI18n } from 'vue-i18n'
import { toLanguage, type Language } from '../../shared/languages'
import en from '#build/texts/frame'
import { readDeviceSetting, writeDeviceSetting } from '../utils/device-setting'

const SETTING = 'language'

/** The texts of the interface. The server always speaks English; the language of the device is applied in the browser. */
export default defineNuxtPlugin({
  name: 'language',
  async setup(nuxtApp) {
    const messages: Record<string, typeof en> = { en }
    const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: 'en', messages })
    const language = ref<Language>('en')
    const componentTexts = shallowRef<ComponentTexts>()
    nuxtApp.vueApp.use(i18n)

    async function apply(next: Language): Promise<void> {
      const catalog = await catalogs[next]()
      if (catalog) i18n.global.setLocaleMessage(next, catalog.messages)
      i18n.global.locale.value = next
      language.value = next
      componentTexts.value = catalog?.components
    }

    if (import.meta.client) {
      const wanted = toLanguage(readDeviceSetting(SETTING)) ?? toLanguage(navigator.language) ?? 'en'
      // A page from the server is in English; hydration must find it so.
      if (nuxtApp.payload.serverRendered) nuxtApp.hook('app:mounted', () => apply(wanted))
      else await apply(wanted).catch(() => undefined)
    }

    async function choose(next: Language): Promise<void> {
      await apply(next)
      writeDeviceSetting(SETTING, next)
    }

    return { provide: { language: { current: readonly(language), componentTexts, choose } } }
  },
})

type ComponentTexts = typeof germanComponents

const catalogs: Record<Language, () => Promise<{ messages: typeof en; components: ComponentTexts } | undefined>> = {
  en: async () => undefined,
  de: async () => {
    const [messages, components] = await Promise.all([
      import('#build/texts/de'),
      import('@nuxt/ui/runtime/locale/de.js'),
    ])
    return { messages: messages.default as typeof en, components: components.default }
  },
}
