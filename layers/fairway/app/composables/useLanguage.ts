import { languages } from '#build/languages'

/** The language of the interface, its writing direction, and how to choose another. */
export function useLanguage() {
  const { current, direction, componentTexts, choose } = useNuxtApp().$language
  return { language: current, direction, componentTexts, choose, languages }
}

/** Adds the English texts of features, which came with a page or a dialog and not with the frame; other languages are fetched whole. */
export function useTexts(...features: Record<string, unknown>[]): void {
  const { add } = useI18n()
  for (const texts of features) add('en', texts)
}
