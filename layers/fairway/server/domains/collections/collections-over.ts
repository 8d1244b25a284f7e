import { checkGuard } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import type { Collection } from './collection'
import { type CollectionEntry, servedCollections } from './served-collection'

/** The collections that read this table, those first of which its rows are the items. */
export const collectionsOver = (entries: readonly CollectionEntry[], table: string): CollectionEntry[] =>
  entries
    .filter(({ collection }) => collection.tables.includes(table))
    .toSorted((a, b) => a.collection.tables.indexOf(table) - b.collection.tables.indexOf(table))

/** Whether a person may read the collection, and, where an id is given, this item of it; false where its guard throws. */
export async function mayReadItem(
  app: App,
  entries: readonly CollectionEntry[],
  { name, session, id, requestId }: { name: string; session: Session; id?: string; requestId: string },
): Promise<boolean> {
  const served = servedCollections(app, entries).get(name)
  if (!served || !(await isAdmitted(served.collection, session))) return false
  if (id === undefined) return true
  const context = { app, session, signal: new AbortController().signal, requestId }
  return (await served.collection.reader.readItem(context, id)) !== null
}

async function isAdmitted({ guard }: Collection, session: Session): Promise<boolean> {
  if (!guard) return true
  return checkGuard(guard, { session, orgId: session.orgId }).then(
    () => true,
    () => false,
  )
}
