// Receives an upload: checks access, type and size, and streams the bytes to the storage.
import type { IncomingMessage } from 'node:http'
import { and, eq, ne } from 'drizzle-orm'
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
import { accepts, type Upload, type UploadEntry } from './define-upload'
import { fileNameOf } from './file-name'
import { findPixels, findType, HEAD_IN_BYTES } from './find-type'
import { storageOf } from './storage-of'
import { markStorage } from './storage-owner'
import { files } from './tables'
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
 * `file-too-large` as soon as the limit is exceeded, `file-type-refused`, and `invalid-request` when the body ends early. A
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
  const row = await storeFile(app, bytes, { name: fileNameOf(req.headers), entry, owner: session })
  const { id, name, type, size } = row
  return { ticket: issueTicket(app, session, row), id, name, type, size }
}

interface Storing {
  name: string
  entry: { name: string; upload: Pick<Upload, 'accept'> }
  owner: Pick<Session, 'userId' | 'orgId'>
}

/** Stores bytes as a file that waits for its row, pictures without their metadata. Throws `file-type-refused`, `storage-full` and `unavailable`, and what `bytes` throws. */
export async function storeFile(
  app: App,
  bytes: AsyncIterableIterator<Uint8Array>,
  { name, entry: { name: upload, upload: options }, owner: { userId, orgId } }: Storing,
): Promise<{ id: string; upload: string; name: string; type: string; size: number }> {
  const head = await firstOf(bytes)
  const type = await findType(head, name)
  if (!accepts(options, type)) {
    await bytes.return?.()
    throw new AppError('file-type-refused', { detail: `This is ${type}. Send ${options.accept.join(' or ')}.` })
  }
  const id = newId()
  const digest = createDigest()
  const measured = { size: 0 }
  // Noted before the bytes are written: only noted files are ever deleted.
  await app.db.orm.insert(files).values({
    id,
    upload,
    name,
    type,
    size: 0,
    sha256: '',
    ...findPixels(head, type),
    orgId: orgId ?? '',
    userId,
    state: 'writing',
    createdAt: app.now(),
  })
  try {
    await store(
      app,
      id,
      counted(withoutMetadata(type, joined(head, bytes)), chunk => {
        measured.size += chunk.length
        digest.update(chunk)
      }),
    )
    await finish(app, id, { size: measured.size, sha256: digest.value() })
  } catch (error) {
    await drop(app, id)
    throw error
  }
  return { id, upload, name, type, size: measured.size }
}

/** Ends the writing of a file. Throws `conflict` when its organization or account was deleted meanwhile. */
async function finish(app: App, id: string, written: { size: number; sha256: string }): Promise<void> {
  const { rowsAffected } = await app.db.orm
    .update(files)
    .set({ ...written, state: 'pending', createdAt: app.now() })
    .where(and(eq(files.id, id), eq(files.state, 'writing')))
  if (rowsAffected === 0) throw new AppError('conflict')
}

/** Deletes what was written of a failed upload. If that fails too, the note stays and the next purge deletes it. */
async function drop(app: App, id: string): Promise<void> {
  try {
    await (await storageOf(app)).remove(id)
    await app.db.orm.delete(files).where(and(eq(files.id, id), ne(files.state, 'kept')))
  } catch (error) {
    app.log.warn('a failed upload is deleted later', { file: id, error })
  }
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
  count: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    count(chunk)
    yield chunk
  }
}
