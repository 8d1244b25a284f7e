import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import type { z } from 'zod'
import { requestQuery } from './request-info'
import { bodyLimits } from '../limits/limits'
import { AppError } from './app-error'
import { fieldError, OWN_MESSAGES, toFieldError } from './field-errors'
import { isRecord } from '#fairway/shared/record'

declare module 'h3' {
  interface H3EventContext {
    /** The parsed query and body that were read so far; for the audit log. */
    input?: Record<string, unknown>
  }
}

/**
 * Parses the JSON body of a request (64 KiB at most) with its schema; `fields` override those of the body. Throws 400, 408, 413
 * or 415 from the catalog.
 */
export async function readInput<T extends z.ZodType>(
  event: H3Event,
  schema: T,
  fields: object = {},
): Promise<z.output<T>> {
  return noteInput(event, parseInput(schema, { ...(await readJsonBody(event)), ...fields }))
}

/** Parses the query of a request with its schema; `fields` override it. The last value of a repeated name counts. */
export const readQuery = <T extends z.ZodType>(event: H3Event, schema: T, fields: object = {}): z.output<T> =>
  noteInput(event, parseInput(schema, { ...Object.fromEntries(new URLSearchParams(requestQuery(event))), ...fields }))

function noteInput<T>(event: H3Event, input: T): T {
  event.context.input = { ...event.context.input, ...input }
  return input
}

/** How deep objects and lists of an input may be nested; with thousands of levels, recursive code overflows the stack. */
const MOST_LEVELS = 64

/**
 * Returns whether objects and lists are nested deeper than 64 levels: then recursive code must not process them, including
 * `JSON.stringify`.
 */
export const isTooDeep = (value: unknown, levels = MOST_LEVELS): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(item => isTooDeep(item, levels - 1)))

const NO_OBJECT = { path: '', code: 'not-an-object', message: 'The body must be a JSON object.' }
const TOO_DEEP = { path: '', message: `Objects and lists may be nested ${MOST_LEVELS} levels deep at most.` }

const MOST_FAULTS = 100

/**
 * Returns the input. Throws `invalid-input` for one that is nested deeper than 64 levels, and for texts that the database would
 * change: SQLite cuts a text at NUL, and half of a surrogate pair has no UTF-8.
 */
export function checkInput<T>(input: T): T {
  if (isTooDeep(input)) throw new AppError('invalid-input', { errors: [TOO_DEEP] })
  const paths = brokenTexts(input).slice(0, MOST_FAULTS)
  if (paths.length === 0) return input
  throw new AppError('invalid-input', { errors: paths.map(path => fieldError(path.join('.'), 'broken-text')) })
}

const NONE: readonly string[][] = []
const isBroken = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** The paths of texts and names of fields that cannot be stored. */
function brokenTexts(value: unknown): readonly string[][] {
  if (typeof value === 'string') return isBroken(value) ? [[]] : NONE
  if (typeof value !== 'object' || value === null) return NONE
  const brokenPaths = Object.entries(value).flatMap(([name, item]) => {
    const paths = isBroken(name) ? [[]] : brokenTexts(item)
    return paths.map(path => [name, ...path])
  })
  return brokenPaths.length > 0 ? brokenPaths : NONE
}

/** Parses untrusted input; throws `invalid-input` with the path, code and message of each fault and never the value. */
export const parseInput = <T extends z.ZodType>(schema: T, input: unknown): z.output<T> =>
  parseEnvelope(schema, checkInput(input))

/** Like `parseInput`, for an input whose content is parsed later, once the caller may send it. */
export function parseEnvelope<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input, OWN_MESSAGES)
  if (parsed.success) return parsed.data
  throw new AppError('invalid-input', { errors: parsed.error.issues.map(toFieldError) })
}

interface ReadLimits {
  /** `bodyLimits.input` when not given. */
  maxBytes?: number
  /** How long the whole body may take to arrive. */
  limitInMs?: number
}

const ARRIVAL_LIMIT_IN_MS = 15_000
const DRAIN_LIMIT_IN_BYTES = 8 * 1024 * 1024
const DRAIN_LIMIT_IN_MS = 5000

/** The JSON object of a request body; an empty body is an empty object. Throws 400, 408, 413 or 415 from the catalog. */
export async function readJsonBody(event: H3Event, limits: ReadLimits = {}): Promise<Record<string, unknown>> {
  const bytes = await readBody(event.node.req, limits)
  if (bytes.length === 0 && event.node.req.headers['content-type'] === undefined) return {}
  checkMediaType(event.node.req, 'application/json')
  if (bytes.length === 0) return {}
  const value = parseJson(bytes)
  if (isRecord(value)) return value
  throw new AppError('invalid-input', { errors: [NO_OBJECT] })
}

/** Returns the JSON value of a request body of any type. Throws 400, 408, 413 or 415 from the catalog. */
export async function readJsonValue(event: H3Event, limits: ReadLimits = {}): Promise<unknown> {
  const bytes = await readBody(event.node.req, limits)
  checkMediaType(event.node.req, 'application/json')
  return parseJson(bytes)
}

/** Returns the fields of a submitted form; a repeated field is refused. Throws 400, 408, 413 or 415 from the catalog. */
export async function readFormBody(event: H3Event, limits: ReadLimits = {}): Promise<Record<string, string>> {
  const bytes = await readBody(event.node.req, limits)
  checkMediaType(event.node.req, 'application/x-www-form-urlencoded')
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (fields.has(name)) throw new AppError('invalid-request', { detail: 'A field was sent twice.' })
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

/** Returns the bytes of a request body of any type. Throws 400, 408 or 413 from the catalog. */
export const readBytes = (event: H3Event, limits: ReadLimits = {}): Promise<Buffer> => readBody(event.node.req, limits)

function checkMediaType(request: IncomingMessage, wanted: string): void {
  const essence = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (essence !== wanted) throw new AppError('unsupported-media-type', { detail: `Send ${wanted}.` })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new AppError('malformed-json', { cause: cause instanceof Error ? cause.name : cause })
  }
}

/** Requests whose body has been read, or is being discarded. */
const drained = new WeakSet<IncomingMessage>()

/** Reads the body and counts while it arrives, declared or chunked; data over the limit is never kept. */
function readBody(
  request: IncomingMessage,
  { maxBytes = bodyLimits.input, limitInMs = ARRIVAL_LIMIT_IN_MS }: ReadLimits,
): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > maxBytes) {
    drain(request)
    return Promise.reject(tooLarge(maxBytes))
  }
  // A short body arrives together with the headers, so it is complete already.
  if (declared > 0 && request.readableLength === declared) {
    const bytes: Buffer = request.read()
    drained.add(request)
    request.resume()
    return Promise.resolve(bytes)
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

/** Whether a request has a body (RFC 9112 §6.3). */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0

/**
 * Ends a body that no code reads soon after the response; without it, Node reads on for five minutes. The rest of such a body is
 * read within the limits of every refused body, and then the connection is closed.
 */
export function endUnreadBody({ req, res }: H3Event['node']): void {
  if (!hasBody(req)) return
  res.once('finish', () => drain(req))
}

// Reads and discards the rest, within limits, so that a client that still sends can read the response.
function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed || drained.has(request)) return
  drained.add(request)
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
