/** The title of an action: `actions.<name>` of a catalog, or its name in words. Both are imperative: “Create a note”. */
export function actionTitle(
  name: string,
  { t, has }: Record<'t', (key: string) => string> & Record<'has', (key: string) => boolean>,
): string {
  const key = `actions.${name}`
  return has(key) ? t(key) : toWords(name)
}

/** `itemsPerPage`, `note-list` and `note_id` as words: `Items per page`, `Note list`, `Note id`. */
export function toWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_/]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
