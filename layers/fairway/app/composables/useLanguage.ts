import { languages } from '../../shared/languages'

/** The language of the interface, its writing direction, and how to choose another. */
export function useLanguage() {
  const { current, componentTexts, choose } = useNuxtApp().$language
  const direction = computed(() => languages.find(({ code }) => code === current.value)?.direction ?? 'ltr')
  return { language: current, direction, componentTexts, choose, languages }
}
