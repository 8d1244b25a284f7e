// Files of items: their addresses, and who may have their bytes, which is who may read the item.
import type { H3Event } from 'h3'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestSignal } from '#fairway/server/kernel/http/request-info'
import { filePath } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import type { Session } from '#fairway/shared/schemas/session'
import { admitted } from './admission'
import { type CollectionEntry, servedCollections } from './served-collection'

/** The item, whose files have their addresses in the place of the row's id, which only the database knows them by. */
export function addressFiles(
  item: Record<string, unknown>,
  fields: readonly string[],
  collection: string,
): Record<string, unknown> {
  const address = (file: unknown): unknown => {
    if (!isRecord(file)) return file
    const { row, ...facts } = file
    return { ...facts, url: filePath(collection, String(row), String(file.id)) }
  }
  for (const field of fields) {
    const value = item[field]
    item[field] = Array.isArray(value) ? value.map(address) : address(value)
  }
  return item
}

interface AskedFile {
  collection: string
  /** The id of the item. */
  row: string
  /** The id of the file. */
  file: string
}

/** The id of a file, where the item shows it to this caller. Throws `not-found` where it does not, and what reading the collection throws. */
export async function requireItemFile(
  event: H3Event,
  entries: readonly CollectionEntry[],
  { collection, row, file }: AskedFile,
  tokenSession?: Session,
): Promise<string> {
  const app = getApp(event)
  const served = servedCollections(app, entries).get(collection)
  if (!served) throw new AppError('not-found')
  const { operations, reader } = served.collection
  if (!operations.get || !reader.fileFields?.length) throw new AppError('not-found')
  const session = await admitted(event, served, tokenSession)
  const context = { app, session, signal: requestSignal(event), requestId: getRequestId(event) }
  const item = await reader.readItem(context, row)
  const shown = isRecord(item) ? Object.values(item).flat().filter(isRecord) : []
  const url = filePath(collection, row, file)
  if (!shown.some(each => each.id === file && each.url === url)) throw new AppError('not-found')
  return file
}
