const PIECE = 500

/**
 * All rows of a query that gives the next `limit` rows behind a given one, read piece by piece: an export of any size holds
 * a few hundred rows.
 */
export async function* inPieces<Row>(
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let after: Row | undefined
  for (;;) {
    const rows: Row[] = await read(after, PIECE)
    yield* rows
    after = rows.at(-1)
    if (rows.length < PIECE) return
  }
}
