/** Adds English texts that came with a page or a dialog and not with the frame; other languages are fetched whole. */
export function useTexts(texts: Record<string, unknown>): void {
  const { getLocaleMessage, mergeLocaleMessage } = useI18n()
  const known = getLocaleMessage('en')
  if (Object.keys(texts).some(group => !(group in known))) mergeLocaleMessage('en', texts)
}
