// Serves a file, whole or in part, with headers that keep it from running code in our origin.
import { finished, Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import { type H3Event, getQuery, setResponseHeaders, setResponseStatus } from 'h3'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { dispositionOf } from './file-name'
import { findFile, type HeldFile } from './kept-files'
import type { ByteRange } from './storage'
import { storageOf } from './storage-of'
import { files } from './tables'
import { makeThumbnail, PICTURES, thumbnailWidth } from './thumbnail'
import { requireRun } from '#fairway/server/kernel/current-run'

/** Images and documents that browsers show without running their code in our origin. SVG and HTML are excluded. */
const SHOWN = new Set([...PICTURES, 'application/pdf'])

const isShown = (type: string): boolean => SHOWN.has(type) || /^(audio|video)\//.test(type)

/**
 * No file runs a script. Shown files have no `sandbox` directive, because with it Chrome plays no video and Safari shows no PDF.
 */
const policyOf = (type: string): string =>
  isShown(type)
    ? "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"
    : "default-src 'none'; sandbox"

type FileRow = typeof files.$inferSelect

/**
 * Answers GET and HEAD with the bytes of a file. The route must check that the caller may read the row that holds it; this checks
 * that the row holds it. `?width=` requests a small picture. Redirects when the storage can send files directly. This server
 * sends `isImmutable` bytes itself, and browsers cache them. Throws `not-found` and `range-not-satisfiable`.
 */
export async function sendFile(
  event: H3Event,
  held: HeldFile,
  { isImmutable = false } = {},
): Promise<Readable | Buffer | string> {
  const file = await findFile(getApp(event), held)
  setResponseHeaders(event, {
    'cache-control': isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    'content-security-policy': policyOf(file.type),
    'x-content-type-options': 'nosniff',
  })
  return (await sendSmall(event, file)) ?? sendWhole(event, file, isImmutable)
}

/** The small picture, when the request wants one and the server can make it. */
async function sendSmall(event: H3Event, file: FileRow): Promise<Buffer | string | undefined> {
  const app = getApp(event)
  const width = await thumbnailWidth(app, file, getQuery(event).width)
  if (width === undefined) return undefined
  const etag = `"${file.sha256}-${width}"`
  if (isKnown(event, etag)) return ''
  const picture = await makeThumbnail(app, file, width)
  if (!picture) return undefined
  setResponseHeaders(event, { etag, 'content-type': 'image/webp', 'content-length': picture.length })
  return event.method === 'HEAD' ? '' : picture
}

/** Whether the caller already has these bytes; if so, the response is set to say it. */
function isKnown(event: H3Event, etag: string): boolean {
  const isSame = matchesEtag(event.node.req, etag)
  if (isSame) {
    setResponseHeaders(event, { etag })
    setResponseStatus(event, 304)
  }
  return isSame
}

async function sendWhole(event: H3Event, file: FileRow, isImmutable: boolean): Promise<Readable | string> {
  const app = getApp(event)
  const isDownload = getQuery(event).download !== undefined || !isShown(file.type)
  const disposition = dispositionOf(file.name, isDownload ? 'attachment' : 'inline')
  const storage = await storageOf(app)
  const address = isImmutable ? undefined : await storage.signedAddress?.(file.id, { type: file.type, disposition })
  if (address !== undefined) {
    setResponseHeaders(event, { location: address, 'cache-control': 'no-store' })
    setResponseStatus(event, 302)
    return ''
  }
  const etag = `"${file.sha256}"`
  setResponseHeaders(event, { 'accept-ranges': 'bytes', 'content-disposition': disposition })
  if (isKnown(event, etag)) return ''
  const range = askedRange(event, file, etag)
  const length = range ? range.last - range.first + 1 : file.size
  setResponseHeaders(event, { etag, 'content-type': file.type, 'content-length': length })
  if (range) {
    setResponseStatus(event, 206)
    setResponseHeaders(event, { 'content-range': `bytes ${range.first}-${range.last}/${file.size}` })
  }
  return event.method === 'HEAD' ? '' : openBytes(app, event, file, range)
}

/** The bytes of a file, without an access check; null when the file does not exist. */
export const readBytes = async (app: App, id: string): Promise<AsyncIterable<Buffer> | null> =>
  (await storageOf(app)).read(id)

/** Reads a held file into memory, with its media type, up to `most` bytes. Throws `not-found` and `file-too-large`. */
export async function readWhole(app: App, held: HeldFile, most: number): Promise<Blob> {
  const file = await findFile(app, held)
  if (file.size > most)
    throw new AppError('file-too-large', { detail: `It has ${file.size} bytes, and at most ${most} can be read here.` })
  const bytes = await readBytes(app, file.id)
  if (!bytes) throw new AppError('not-found')
  return new Blob(await Array.fromAsync(bytes, chunk => new Uint8Array(chunk)), { type: file.type })
}

async function openBytes(app: App, event: H3Event, file: FileRow, range: ByteRange | undefined) {
  const { res } = event.node
  const body = file.size === 0 ? '' : await (await storageOf(app)).read(file.id, range)
  if (body === null) {
    app.log.error('the bytes of a file are not in the storage', { file: file.id })
    for (const name of ['content-length', 'content-range', 'etag']) res.removeHeader(name)
    throw new AppError('not-found')
  }
  if (typeof body === 'string') return body
  finished(res, () => body.destroy())
  // A response that breaks off must not look complete.
  body.once('error', error => {
    app.log.error('the bytes of a file could not be read', { file: file.id, error })
    res.destroy()
  })
  return body
}

/**
 * The single requested range (RFC 9110 §14.2). Undefined for the whole file, for several ranges, and when the file has changed
 * since.
 */
function askedRange({ node }: H3Event, { size }: FileRow, etag: string): ByteRange | undefined {
  const { range = '', 'if-range': condition = etag } = node.req.headers
  const requested = condition === etag ? rangeIn(range.replaceAll(' ', ''), size) : undefined
  if (requested && requested.first > requested.last)
    throw new AppError('range-not-satisfiable', { headers: { 'content-range': `bytes */${size}` } })
  return requested
}

function rangeIn(text: string, size: number): ByteRange | undefined {
  const [, last] = /^bytes=-(\d+)$/.exec(text) ?? []
  if (last !== undefined) return { first: Math.max(0, size - Number(last)), last: size - 1 }
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(text) ?? []
  if (from === undefined || (to && Number(to) < Number(from))) return undefined
  return { first: Number(from), last: to ? Math.min(Number(to), size - 1) : size - 1 }
}

/**
 * Returns the name, media type, size in bytes and bytes of a file by its ID; `bytes` arrive from the storage as they are read. It
 * does not check access; the caller must. Throws `not-found` for a deleted file; a file without a row is kept for a day.
 */
export async function openFile(id: string): Promise<OpenFile> {
  const { app } = requireRun()
  const file = await findStoredFile(app.db.orm, id)
  if (!file) throw missing()
  return { ...file, bytes: await streamOf(app, id) }
}

const missing = () => new AppError('not-found', { detail: 'The file is not there any more.' })

async function streamOf(app: App, id: string): Promise<Readable> {
  const bytes = await readBytes(app, id)
  if (!bytes) throw missing()
  return bytes instanceof Readable ? bytes : Readable.from(bytes)
}

/** The name, media type and size in bytes of a file by its ID; undefined for an unknown one. */
export async function findStoredFile(db: Pick<Orm, 'select'>, id: string) {
  const { name, type, size } = files
  const [file] = await db.select({ name, type, size }).from(files).where(eq(files.id, id))
  return file
}

/** A stored file with its bytes. */
export interface OpenFile {
  name: string
  type: string
  size: number
  bytes: Readable
}

/**
 * Yields the rows of a CSV file as texts, keyed by the names in its first row. It streams the file, so memory use stays small.
 * Throws what `openFile` throws, and `invalid-input` with the number of the row at a row that cannot be read.
 */
export async function* csvRows(id: string): AsyncGenerator<Record<string, string>> {
  // Loaded with the first file, because most servers never read one.
  const { csvFaults, readCsv } = await import('#fairway/shared/csv/read-csv')
  let names: string[] | undefined
  for await (const { row, cells, fault } of readCsv(await streamOf(requireRun().app, id))) {
    if (fault)
      throw new AppError('invalid-input', { detail: `Row ${row} of the file ${csvFaults[fault]}`, extra: { row } })
    if (names) yield Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
    else names = cells.map((name, index) => name || `#${index + 1}`)
  }
}
