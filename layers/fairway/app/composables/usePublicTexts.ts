// A separate file, so that the frame does not load these texts.
import texts from '#build/texts/public'

/** Adds the texts for visitors, `app/locales/<language>/public.json`, which load with the pages that call this. */
export const usePublicTexts = (): void => useTexts(texts)
