/** Adds the English texts of features, which came with a page or a dialog and not with the frame; other languages are fetched whole. */
export function useTexts(...features: Record<string, unknown>[]): void {
  const { getLocaleMessage, mergeLocaleMessage } = useI18n()
  const known = getLocaleMessage('en')
  for (const texts of features) {
    if (Object.keys(texts).some(group => !(group in known))) mergeLocaleMessage('en', texts)
  }
}
