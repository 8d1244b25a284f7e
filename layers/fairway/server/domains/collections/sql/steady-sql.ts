const UNSTEADY =
  /\b(?:random|randomblob|date|time|datetime|julianday|unixepoch|strftime|timediff|changes|total_changes|last_insert_rowid)\s*\(|\bcurrent_(?:date|time|timestamp)\b/i

/** Whether a statement answers the same as long as nobody writes: it asks neither the clock nor chance. */
export const isSteady = (sql: string): boolean => !UNSTEADY.test(sql)
