// A file as an answer: all of it or a part, with headers that let no file run code as our page.
import { finished, type Readable } from 'node:stream'
import { type H3Event, getQuery, setResponseHeaders, setResponseStatus } from 'h3'
import { eq } from 'drizzle-orm'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { dispositionOf } from './file-name'
import type { ByteRange } from './storage'
import { storageOf } from './storage-of'
import { files } from './tables'

/** Images of pixels and documents that browsers show without running anything of theirs as our page. SVG and HTML are none. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'application/pdf'])

const isShown = (type: string): boolean => SHOWN.has(type) || /^(audio|video)\//.test(type)

type FileRow = typeof files.$inferSelect

/**
 * Answers GET and HEAD with the bytes of a file that the caller may have: that is for the route to find out before. Gives the address
 * to go to where the storage sends them itself. Throws `not-found`, and `range-not-satisfiable` for a part that there is not.
 */
export async function sendFile(event: H3Event, id: string): Promise<Readable | string> {
  const app = getApp(event)
  const [file] = await app.db.orm.select().from(files).where(eq(files.id, id))
  if (!file) throw new AppError('not-found')
  const isDownload = getQuery(event).download !== undefined || !isShown(file.type)
  const disposition = dispositionOf(file.name, isDownload ? 'attachment' : 'inline')
  const etag = `"${file.sha256}"`
  setResponseHeaders(event, {
    'cache-control': 'private, no-cache',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  const storage = await storageOf(app)
  const address = await storage.signedAddress?.(id, { type: file.type, disposition })
  if (address !== undefined) {
    setResponseHeaders(event, { location: address, 'cache-control': 'no-store' })
    setResponseStatus(event, 302)
    return ''
  }
  setResponseHeaders(event, { etag, 'accept-ranges': 'bytes', 'content-disposition': disposition })
  if (matchesEtag(event.node.req, etag)) {
    setResponseStatus(event, 304)
    return ''
  }
  const range = askedRange(event, file, etag)
  const length = range ? range.last - range.first + 1 : file.size
  setResponseHeaders(event, { 'content-type': file.type, 'content-length': length })
  if (range) {
    setResponseStatus(event, 206)
    setResponseHeaders(event, { 'content-range': `bytes ${range.first}-${range.last}/${file.size}` })
  }
  return event.method === 'HEAD' ? '' : openBytes(app, event, file, range)
}

/** The bytes of a file, whoever asks; null where there are none. */
export const readBytes = async (app: App, id: string): Promise<AsyncIterable<Buffer> | null> =>
  (await storageOf(app)).read(id)

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
  // A file that breaks off must not look like a whole one.
  body.once('error', error => {
    app.log.error('the bytes of a file could not be read', { file: file.id, error })
    res.destroy()
  })
  return body
}

/** The one part that is asked for (RFC 9110 §14.2); undefined for the whole, also where several are asked for or the file is another one by now. */
function askedRange({ node }: H3Event, { size }: FileRow, etag: string): ByteRange | undefined {
  const { range = '', 'if-range': condition = etag } = node.req.headers
  const asked = condition === etag ? rangeIn(range.replaceAll(' ', ''), size) : undefined
  if (asked && asked.first > asked.last)
    throw new AppError('range-not-satisfiable', { headers: { 'content-range': `bytes */${size}` } })
  return asked
}

function rangeIn(text: string, size: number): ByteRange | undefined {
  const [, last] = /^bytes=-(\d+)$/.exec(text) ?? []
  if (last !== undefined) return { first: Math.max(0, size - Number(last)), last: size - 1 }
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(text) ?? []
  if (from === undefined || (to && Number(to) < Number(from))) return undefined
  return { first: Number(from), last: to ? Math.min(Number(to), size - 1) : size - 1 }
}
