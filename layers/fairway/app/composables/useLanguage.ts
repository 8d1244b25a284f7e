import { languages } from '#build/languages'

/** The interface language, its writing direction, and a function to change it. */
export function useLanguage() {
  const { current, direction, componentTexts, choose } = useNuxtApp().$language
  return { language: current, direction, componentTexts, choose, languages }
}

/** Adds the English texts of features that load with a page or a dialog. Other languages are loaded as a whole. */
export function useTexts(...features: Record<string, unknown>[]): void {
  const { add } = useI18n()
  for (const texts of features) add('en', texts)
}
