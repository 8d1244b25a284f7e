// Receives an upload: checks access, type and size, and streams the bytes to the storage.
import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { checkGuard, requireOrganization } from '#fairway/server/domains/organizations'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { createDigest } from '#fairway/server/kernel/crypto/hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { acquireSlot } from '#fairway/server/kernel/limits/acquire-slot'
import { concurrencyLimits, limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import type { UploadedFile } from '#fairway/shared/schemas/file'
import type { Session } from '#fairway/shared/schemas/session'
import { accepts, MOST_PIXELS, type Upload, type UploadEntry } from './define-upload'
import { fileNameOf } from './file-name'
import { findPixels, findType, HEAD_IN_BYTES, saysPixelsFirst } from './find-type'
import { dropFile, finishFile, growNote, noteFile, UNKNOWN_SIZE_IN_BYTES } from './note-file'
import { storageOf } from './storage-of'
import { markStorage } from './storage-owner'
import { issueTicket } from './ticket'
import { withoutMetadata } from './without-metadata'

/** A large file on a slow connection takes longer than Node's default request timeout of five minutes. */
const LONGEST_UPLOAD_IN_MS = 60 * 60 * 1000
/** How long an upload may pause. */
const SILENCE_IN_MS = 30_000

/** Throws unless this person may upload: what the guard throws, and `no-organization`. */
export async function checkUploader({ guard }: Upload, session: Session): Promise<void> {
  const context = { session, orgId: session.orgId }
  await checkGuard(requireOrganization(), context)
  if (guard) await checkGuard(guard, context)
}

/**
 * Stores the body of a request as a file that waits for its row. Throws what `checkUploader` throws, `rate-limited`,
 * `file-too-large` as soon as the limit is exceeded, what `storeFile` throws, and `invalid-request` when the body ends early. A
 * failed upload leaves nothing in the storage.
 */
export async function receiveFile(event: H3Event, entry: UploadEntry, session: Session): Promise<UploadedFile> {
  const app = getApp(event)
  const { req } = event.node
  const { upload } = entry
  await checkUploader(upload, session)
  if (Number(req.headers['content-length'] ?? 0) > upload.maxSize) throw tooLarge(upload)
  await rateLimit(app, limits.uploadsPerAccount, session.userId)
  const release = acquireSlot(app, concurrencyLimits.uploads, session.userId)
  try {
    return await takeFile(app, { req, entry, session })
  } finally {
    release()
  }
}

interface Taking {
  req: IncomingMessage
  entry: UploadEntry
  session: Session
}

async function takeFile(app: App, { req, entry, session }: Taking): Promise<UploadedFile> {
  const bytes = arriving(req, entry.upload)
  const declared = Number(req.headers['content-length'] ?? Math.min(entry.upload.maxSize, UNKNOWN_SIZE_IN_BYTES))
  const about = { name: fileNameOf(req.headers), size: declared, entry, owner: session }
  const row = await storeFile(app, bytes, about)
  const { id, name, type, size } = row
  return { ticket: issueTicket(app, session, row), id, name, type, size }
}

interface Storing {
  name: string
  /** How many bytes there are, or a guess that grows. */
  size: number
  entry: { name: string; upload: Pick<Upload, 'accept'> & Partial<Pick<Upload, 'maxPixels'>> }
  owner: Pick<Session, 'userId' | 'orgId'>
}

/**
 * Stores bytes as a file that waits for its row, pictures without their metadata. Throws `file-type-refused`, `image-too-large`,
 * `storage-full`, `unavailable`, what `noteFile` throws, and what `bytes` throws.
 */
export async function storeFile(
  app: App,
  bytes: AsyncIterableIterator<Uint8Array>,
  { name, size, entry: { name: upload, upload: options }, owner: { userId, orgId } }: Storing,
): Promise<{ id: string; upload: string; name: string; type: string; size: number }> {
  const head = await firstOf(bytes)
  const id = newId()
  const digest = createDigest()
  const measured = { size: 0, noted: size }
  let noted: Parameters<typeof noteFile>[1]
  try {
    const type = await findType(head, name)
    noted = { id, upload, name, type, size, ...checkKind(options, type, head), userId, orgId: orgId ?? '' }
    await noteFile(app, noted)
  } catch (error) {
    await bytes.return?.()
    throw error
  }
  try {
    const cleaned = withoutMetadata(noted.type, joined(head, bytes), frame => checkPixels(options, frame))
    await store(
      app,
      id,
      counted(cleaned, async chunk => {
        measured.size += chunk.length
        digest.update(chunk)
        if (measured.size <= measured.noted) return
        measured.noted += UNKNOWN_SIZE_IN_BYTES
        await growNote(app, noted, measured.noted)
      }),
    )
    await finishFile(app, id, { size: measured.size, sha256: digest.value() })
  } catch (error) {
    await dropFile(app, id)
    throw error
  }
  return { id, upload, name, type: noted.type, size: measured.size }
}

/** Returns the size of an image by its first bytes. Throws for a type that the upload does not accept, and for a size. */
function checkKind(options: Storing['entry']['upload'], type: string, head: Uint8Array) {
  if (!accepts(options, type))
    throw new AppError('file-type-refused', { detail: `This is ${type}. Send ${options.accept.join(' or ')}.` })
  const pixels = findPixels(head, type)
  // A complete file that says no size shows no picture either.
  const isHidden = !pixels && saysPixelsFirst(type) && head.length >= HEAD_IN_BYTES
  checkPixels(options, isHidden ? { width: Infinity, height: 1 } : (pixels ?? { width: 0, height: 0 }))
  return pixels ?? { width: null, height: null }
}

function checkPixels(
  { maxPixels = MOST_PIXELS }: { maxPixels?: number },
  size: { width: number; height: number },
): void {
  if (size.width * size.height <= maxPixels) return
  throw new AppError('image-too-large', {
    detail: `An image may have ${maxPixels} pixels at most, and must say its size at its beginning.`,
    extra: { maxPixels },
  })
}

async function store(app: App, id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await markStorage(app)
    await (await storageOf(app)).write(id, bytes)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
    throw new AppError(isFull ? 'storage-full' : 'unavailable', { cause })
  }
}

const tooLarge = ({ maxSize }: Upload): AppError =>
  new AppError('file-too-large', { detail: `A file may have ${maxSize} bytes at most.`, extra: { maxSize } })

/**
 * Yields the body as it arrives. A consumer that stops early leaves the connection open for the response; the rest of the body is
 * then read and dropped.
 */
async function* arriving(req: IncomingMessage, upload: Upload): AsyncGenerator<Uint8Array, undefined> {
  allowLongBodies(req)
  const silence = new AppError('request-timed-out')
  const timer = setTimeout(() => req.destroy(silence), SILENCE_IN_MS)
  let size = 0
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > upload.maxSize) throw tooLarge(upload)
      yield chunk
      timer.refresh()
    }
  } catch (cause) {
    throw cause instanceof AppError
      ? cause
      : new AppError('invalid-request', { detail: 'The file ended early.', cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Node's request timeout applies to all paths; headers and the bodies of other routes have separate, shorter limits. */
function allowLongBodies({ socket: { server } }: IncomingMessage): void {
  if (!server || !('requestTimeout' in server) || typeof server.requestTimeout !== 'number') return
  // 0 means no limit.
  if (server.requestTimeout > 0) server.requestTimeout = Math.max(server.requestTimeout, LONGEST_UPLOAD_IN_MS)
}

/** Reads the first bytes, which determine the type of a file. */
async function firstOf(bytes: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for (let size = 0; size < HEAD_IN_BYTES;) {
    const { done, value } = await bytes.next()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  return Buffer.concat(chunks)
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  yield* rest
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  count: (chunk: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    await count(chunk)
    yield chunk
  }
}
