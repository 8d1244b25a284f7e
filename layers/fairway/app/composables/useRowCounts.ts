/**
 * Says how many rows of a table there are, for example “57 notes”. The words are the application’s own text `tables.<table>` with
 * its plural forms. Without it, `fallback` names the rows by their table.
 */
export function useRowCounts(fallback: string) {
  const { t, te } = useI18n()

  return (table: string, n: number): string => {
    const key = `tables.${table}`
    return te(key) ? t(key, { n }, n) : t(fallback, { n, table: table.replaceAll('_', ' ') }, n)
  }
}
