// Files of items: their addresses and access to them. Everyone who may read the item may read its files.
import type { H3Event } from 'h3'
import type { ActionContext } from '#fairway/server/domains/actions'
import { type HeldFile, readWhole } from '#fairway/server/domains/files'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { findRun, requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestSignal } from '#fairway/server/kernel/http/request-info'
import { filePath, ORG_HEADER } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import type { Session } from '#fairway/shared/schemas/session'
import { admitted, isAdmitted } from './admission'
import type { Collection, ReadContext } from './collection'
import { type CollectionEntry, type ServedCollection, servedCollections } from './served-collection'

/** The address of a file, in the organization that the request names: a picture or a link cannot send its header. */
export function fileUrl(collection: string, row: string, file: string): string {
  const slug = findRun()?.orgSlug
  return filePath(collection, row, file) + (slug === undefined ? '' : `?${ORG_HEADER}=${slug}`)
}

/** Replaces what holds each file of an item with the file's address. */
export function addressFiles(
  item: Record<string, unknown>,
  fields: readonly string[],
  collection: string,
): Record<string, unknown> {
  const address = (file: unknown): unknown => {
    if (!isRecord(file) || !Array.isArray(file.held)) return file
    const { held, ...facts } = file
    return { ...facts, url: fileUrl(collection, String(held[2]), String(file.id)) }
  }
  for (const field of fields) {
    const value = item[field]
    item[field] = Array.isArray(value) ? value.map(address) : address(value)
  }
  return item
}

interface AskedFile {
  collection: string
  /** The ID of the item. */
  row: string
  /** The ID of the file. */
  file: string
}

/**
 * Returns a file if the item shows it to this caller. Otherwise throws `not-found`, or an error of reading the collection.
 */
export async function requireItemFile(
  event: H3Event,
  entries: readonly CollectionEntry[],
  { collection, row, file }: AskedFile,
  tokenSession?: Session,
): Promise<HeldFile> {
  const app = getApp(event)
  const served = servedCollections(app, entries).get(collection)
  if (!served) throw new AppError('not-found')
  if (!hasFiles(served.collection)) throw new AppError('not-found')
  const session = await admitted(event, served, tokenSession)
  const context = { app, session, signal: requestSignal(event), requestId: getRequestId(event) }
  return findItemFile(context, served, { row, file })
}

const hasFiles = ({ operations, reader }: Collection): boolean => Boolean(operations.get && reader.fileFields?.length)

async function findItemFile(
  context: ReadContext,
  { collection }: ServedCollection,
  { row, file }: Pick<AskedFile, 'row' | 'file'>,
): Promise<HeldFile> {
  const held = await collection.reader.readFile?.(context, row, file)
  if (!held) throw new AppError('not-found')
  return held
}

/** The largest file that MCP hosts can read, because it is sent inside of one JSON message. */
const MOST_FOR_HOSTS = 5 * 1024 * 1024

/**
 * Creates a reader of files for MCP hosts, with the access of the person of the run. Undefined when no collection has files for
 * hosts. The reader throws `not-found` for every file that the person may not read, and `file-too-large` above 5 MiB.
 */
export function hostFileReader(entries: readonly CollectionEntry[]) {
  const offered = new Set(
    entries.filter(({ collection }) => collection.mcp && hasFiles(collection)).map(({ name }) => name),
  )
  if (offered.size === 0) return undefined
  return async (
    { collection = '', row = '', file = '' }: Record<string, string>,
    { session, signal, requestId }: Pick<ActionContext, 'session' | 'signal' | 'requestId'>,
  ): Promise<Blob> => {
    const { app } = requireRun()
    const served = offered.has(collection) ? servedCollections(app, entries).get(collection) : undefined
    if (!served || !session || !(await isAdmitted(served.collection, session))) throw new AppError('not-found')
    const held = await findItemFile({ app, session, signal, requestId }, served, { row, file })
    return readWhole(app, held, MOST_FOR_HOSTS)
  }
}
