import { languages } from '#build/languages'

/** The language of the interface, its writing direction, and how to choose another. */
export function useLanguage() {
  const { current, direction, componentTexts, choose } = useNuxtApp().$language
  return { language: current, direction, componentTexts, choose, languages }
}
