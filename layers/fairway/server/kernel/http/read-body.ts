import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { AppError } from './app-error'

interface ReadLimits {
  maxBytes: number
  /** How long the whole body may take to arrive. */
  limitInMs?: number
}

const ARRIVAL_LIMIT_IN_MS = 15_000
const DRAIN_LIMIT_IN_BYTES = 8 * 1024 * 1024
const DRAIN_LIMIT_IN_MS = 5000

/** The JSON object of a request body; an empty body is an empty object. Throws 400, 408, 413 or 415 from the catalog. */
export async function readJsonBody(event: H3Event, limits: ReadLimits): Promise<Record<string, unknown>> {
  const bytes = await readBytes(event.node.req, limits)
  if (bytes.length === 0 && event.node.req.headers['content-type'] === undefined) return {}
  checkMediaType(event.node.req, 'application/json')
  if (bytes.length === 0) return {}
  const value = parseJson(bytes)
  if (isObject(value)) return value
  throw new AppError('invalid-input', { errors: [{ path: '', message: 'The body must be a JSON object.' }] })
}

/** The JSON value of a request body of whatever kind. Throws 400, 408, 413 or 415 from the catalog. */
export async function readJsonValue(event: H3Event, limits: ReadLimits): Promise<unknown> {
  const bytes = await readBytes(event.node.req, limits)
  checkMediaType(event.node.req, 'application/json')
  return parseJson(bytes)
}

/** The fields of a submitted form; a field that is sent twice is refused. Throws 400, 408, 413 or 415 from the catalog. */
export async function readFormBody(event: H3Event, limits: ReadLimits): Promise<Record<string, string>> {
  const bytes = await readBytes(event.node.req, limits)
  checkMediaType(event.node.req, 'application/x-www-form-urlencoded')
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (fields.has(name)) throw new AppError('invalid-request', { detail: 'A field was sent twice.' })
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkMediaType(request: IncomingMessage, wanted: string): void {
  const essence = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (essence !== wanted) throw new AppError('unsupported-media-type', { detail: `Send ${wanted}.` })
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new AppError('malformed-json', { cause: cause instanceof Error ? cause.name : cause })
  }
}

/** Reads the body and counts while it arrives, declared or chunked; what is over the limit is never kept. */
function readBytes(
  request: IncomingMessage,
  { maxBytes, limitInMs = ARRIVAL_LIMIT_IN_MS }: ReadLimits,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    drain(request)
    return Promise.reject(tooLarge(maxBytes))
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(
      () => fail(new AppError('request-timed-out', { headers: { connection: 'close' } })),
      limitInMs,
    )
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) fail(tooLarge(maxBytes))
      else chunks.push(chunk)
    }
    const onEnd = () => {
      stop()
      resolve(Buffer.concat(chunks, size))
    }
    const onBroken = () => fail(new AppError('invalid-request', { detail: 'The body ended early.' }))
    const stop = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
    }
    const fail = (error: AppError) => {
      stop()
      drain(request)
      reject(error)
    }
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError('payload-too-large', { detail: `The body may have ${maxBytes} bytes at most.` })

// The rest is read and thrown away, within limits, so that a client that still sends can read the answer.
function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  let size = 0
  const timer = setTimeout(() => request.destroy(), DRAIN_LIMIT_IN_MS)
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > DRAIN_LIMIT_IN_BYTES) request.destroy()
  })
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
  request.on('error', () => clearTimeout(timer))
  request.resume()
}
