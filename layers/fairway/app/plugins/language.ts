import type components from '@nuxt/ui/runtime/locale/en.js'
import { defaultLanguage, languages, loaders } from '#build/languages'
import { toLanguage, type Language } from '../../shared/languages'
import en from '#build/texts/frame'
import { LANGUAGE_COOKIE, TIME_ZONE_COOKIE } from '#fairway/shared/device'
import { AUTH_PREFIX } from '#fairway/shared/paths'
import { createTexts } from '../language/texts'
import { page } from '../request/field-text'
import { sendJson } from '../request/send-json'
import { readDeviceSetting, writeDeviceSetting } from '../utils/device-setting'

const SETTING = 'language'

/** Stores a value for the server’s own pages and mails. */
function keepCookie(name: string, value: string): void {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`
}

/**
 * The texts of the interface. The server renders the default language, or the language in the address of a public page. Otherwise
 * the browser applies the language of the device.
 */
export default defineNuxtPlugin({
  name: 'language',
  async setup(nuxtApp) {
    const texts = createTexts(en)
    const language = ref<Language>(defaultLanguage)
    const direction = ref(directionOf(defaultLanguage))
    const componentTexts = shallowRef<typeof components>()

    async function apply(next: Language): Promise<void> {
      // English is loaded with the page.
      const loaded = await loaders[next]?.()
      if (loaded) texts.add(next, loaded.texts)
      texts.locale.value = next
      language.value = next
      direction.value = directionOf(next)
      // A language without component texts uses the English ones, in its own writing direction.
      componentTexts.value = loaded && { ...loaded.components, code: next, dir: directionOf(next) }
    }

    const known = (value: unknown) => toLanguage(value, languages)
    // The renderer receives only a `lang` query of a supported public language (server/domains/pages).
    if (import.meta.server) await apply(known(useRequestURL().searchParams.get('lang')) ?? defaultLanguage)
    if (import.meta.client) {
      page.texts = texts
      keepCookie(TIME_ZONE_COOKIE, Intl.DateTimeFormat().resolvedOptions().timeZone)
      const { serverRendered } = nuxtApp.payload
      const languageInAddress = serverRendered && new URLSearchParams(location.search).get('lang')
      const wanted =
        known(languageInAddress) ??
        known(readDeviceSetting(SETTING)) ??
        known(navigator.languages.join()) ??
        defaultLanguage
      // Texts that cannot be loaded stay as they are.
      const tryToApply = (next: Language) =>
        apply(next).catch(() => {
          direction.value = directionOf(language.value)
        })
      const rendered = serverRendered ? (known(document.documentElement.lang) ?? defaultLanguage) : wanted
      // Unconditional: Nuxt’s transform of plugins (unctx) takes an `await` directly after `else` out of the condition.
      await tryToApply(rendered)
      if (rendered !== wanted) {
        // Hydration requires the language of the rendered page, and ends after the mount: layouts are loaded separately.
        nuxtApp.hooks.hookOnce('app:suspense:resolve', () => tryToApply(wanted))
        // The page has this direction since before its first paint (modules/texts).
        direction.value = directionOf(wanted)
      }
    }

    async function choose(next: Language): Promise<void> {
      await apply(next)
      writeDeviceSetting(SETTING, next)
      // Server-rendered pages read the cookie. Emails that no request triggers use the account's language.
      keepCookie(LANGUAGE_COOKIE, next)
      if (nuxtApp.$session.state.value.status === 'signed-in') {
        const body = { language: next }
        await sendJson(`${AUTH_PREFIX}/update-user`, { method: 'POST', body }).catch(() => undefined)
      }
    }

    // Configurable, unlike what `provide` defines: @nuxtjs/i18n puts its own `$t` here. The platform's templates use `$texts`.
    const shortName = { configurable: true, get: () => texts.t }
    for (const target of [nuxtApp, nuxtApp.vueApp.config.globalProperties])
      Object.defineProperty(target, '$t', shortName)

    return {
      provide: {
        texts,
        language: { current: readonly(language), direction: readonly(direction), componentTexts, choose },
      },
    }
  },
})

const directionOf = (language: Language) => languages.find(({ code }) => code === language)?.direction ?? 'ltr'
