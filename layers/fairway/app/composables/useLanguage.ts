import { languages } from '#build/languages'

/** The interface language, its writing direction, and a function to change it. */
export function useLanguage() {
  const { current, direction, componentTexts, choose } = useNuxtApp().$language
  return { language: current, direction, componentTexts, choose, languages }
}

/** Adds the English texts of features that load with a page or a dialog. Other languages are loaded as a whole. */
export function useTexts(...features: Record<string, unknown>[]): void {
  // Not `useI18n`: an application with @nuxtjs/i18n has another one, and the types of this file are checked there.
  const { add } = useNuxtApp().$texts
  for (const texts of features) add('en', texts)
}
