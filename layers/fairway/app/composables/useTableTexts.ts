/** Says how many rows of which tables there are, in words. */
export function useTableTexts() {
  const { t, te } = useI18n()

  function toText([table, rows]: [string, number]): string {
    const key = `localMigration.tables.${table}`
    return te(key) ? t(key, rows) : t('localMigration.rows', { n: rows, table: table.replaceAll('_', ' ') }, rows)
  }

  return (counts: Readonly<Record<string, number>>): string[] =>
    Object.entries(counts)
      .filter(([, rows]) => rows > 0)
      .map(toText)
}
