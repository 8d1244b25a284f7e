// In a file of its own: what is imported here must not come with the frame.
import texts from '#build/texts/public'

/** Adds the texts for visitors, `app/locales/<language>/public.json`, which come with the pages that call this. */
export const usePublicTexts = (): void => useTexts(texts)
