// The common messages of both protocol revisions, which `dispatch` answers without the library. Messages that do not match these
// schemas exactly go to the library, which reports any errors. Examples are additional members, contradictory headers and unknown
// revisions.
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { isRecord } from '#fairway/shared/record'

/** The revisions that begin with `initialize`, as the protocol's library knows them. */
export const EARLIER_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

const REVISION = '2026-07-28'

/** The revisions that this server speaks, newest first. */
export const REVISIONS: readonly string[] = [REVISION, ...EARLIER_REVISIONS]

const RESERVED = 'io.modelcontextprotocol/'
const PROTOCOL_VERSION = `${RESERVED}protocolVersion` as const
const CLIENT_INFO = `${RESERVED}clientInfo` as const
const CLIENT_CAPABILITIES = `${RESERVED}clientCapabilities` as const
const LOG_LEVEL = `${RESERVED}logLevel` as const
/** In the `_meta` of a tool call: it is rehearsed. */
export const REHEARSE = 'fairway/rehearse'
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL])

/** The levels of a line for a host's log, least important first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

const object = z.record(z.string(), z.unknown())
const capabilitiesSchema = z.strictObject({
  experimental: z.record(z.string(), object).optional(),
  sampling: z.strictObject({ context: object.optional(), tools: object.optional() }).optional(),
  elicitation: z
    .looseObject({
      form: z.looseObject({ applyDefaults: z.boolean().optional() }).optional(),
      url: object.optional(),
    })
    .optional(),
  roots: z.strictObject({ listChanged: z.boolean().optional() }).optional(),
  extensions: z.record(z.string(), object).optional(),
})

const text = z.string().optional()
const hostSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  title: text,
  websiteUrl: text,
  description: text,
  icons: z
    .array(
      z.looseObject({
        src: z.string(),
        mimeType: text,
        sizes: z.array(z.string()).optional(),
        theme: z.enum(['light', 'dark']).optional(),
      }),
    )
    .optional(),
})

const progressToken = z.union([z.string(), z.int()]).optional()
const envelopeSchema = z.looseObject({
  progressToken,
  [PROTOCOL_VERSION]: z.literal(REVISION),
  [CLIENT_CAPABILITIES]: capabilitiesSchema,
  [CLIENT_INFO]: hostSchema.optional(),
  [LOG_LEVEL]: z.enum(LOG_LEVELS).optional(),
})
const earlierMetaSchema = z.looseObject({ progressToken }).default({})

const listed = z.strictObject({})
const called = z.strictObject({ name: z.string(), arguments: object.optional() })
const initialized = z.strictObject({
  protocolVersion: z.enum(EARLIER_REVISIONS),
  capabilities: capabilitiesSchema,
  clientInfo: hostSchema,
})

interface ParsedParams {
  name?: string
  arguments?: Record<string, unknown>
  protocolVersion?: string
}

type Methods = [method: string, params: z.ZodType<ParsedParams>][]

const methods: Methods = [
  ['tools/list', listed],
  ['tools/call', called],
  ['prompts/list', listed],
  ['resources/list', listed],
  ['resources/templates/list', listed],
]

/** The parameters of each request with their `_meta`. Since 2026-07-28 it describes the host in each message. */
const eras = {
  earlier: {
    methods: new Map<string, Methods[0][1]>([['initialize', initialized], ['ping', listed], ...methods]),
    meta: earlierMetaSchema,
  },
  current: { methods: new Map<string, Methods[0][1]>([['server/discover', listed], ...methods]), meta: envelopeSchema },
}

type Meta = Partial<z.output<typeof envelopeSchema>>

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Validates one JSON-RPC message without additional members. Written by hand, because it runs for every message. */
function readMessage(
  body: object,
): { id: PlainMessage['id']; method: string; params?: Record<string, unknown> } | null {
  if (!Object.keys(body).every(name => MEMBERS.has(name))) return null
  const { jsonrpc, id, method, params } = body as Record<string, unknown>
  if (jsonrpc !== '2.0' || typeof method !== 'string') return null
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) return null
  if (params !== undefined && !isRecord(params)) return null
  return { id: id as PlainMessage['id'], method, params }
}

/** A message that the dispatcher answers. */
export interface PlainMessage {
  /** Undefined in a notification. */
  id: string | number | undefined
  method: string
  /** The name of a tool. */
  name: string
  arguments: Record<string, unknown>
  /** The revision that `initialize` requests. */
  protocolVersion?: string
  progressToken?: string | number
  /** The host's description of itself in each message since 2026-07-28; undefined in earlier revisions. */
  envelope?: { capabilities: Record<string, unknown>; logLevel?: (typeof LOG_LEVELS)[number] }
}

/** Reads a plain message, including its headers. Returns null for any other message, which may still be valid. */
export function readPlainMessage(body: object, headers: IncomingHttpHeaders): PlainMessage | null {
  const read = readMessage(body)
  if (!read) return null
  const { id, method, params } = read
  const meta = findMeta(params)
  if (meta === null) return null
  if (meta !== undefined && PROTOCOL_VERSION in meta)
    return id !== undefined && saysTheSame(headers, method, params?.name)
      ? readRequest('current', id, method, params)
      : null
  if (!isEarlier(headers)) return null
  return id === undefined ? readNotification(method, meta) : readRequest('earlier', id, method, params)
}

function readRequest(
  era: keyof typeof eras,
  id: string | number,
  method: string,
  { _meta, ...params }: Record<string, unknown> = {},
): PlainMessage | null {
  const parsed = eras[era].methods.get(method)?.safeParse(params)
  if (!parsed?.success) return null
  const meta: Meta | undefined = eras[era].meta.safeParse(_meta).data
  if (!meta) return null
  const { name = '', arguments: callArguments = {}, protocolVersion } = parsed.data
  const { progressToken: token, [CLIENT_CAPABILITIES]: capabilities = {}, [LOG_LEVEL]: logLevel } = meta
  const envelope = era === 'current' ? { capabilities, logLevel } : undefined
  return { id, method, name, arguments: callArguments, protocolVersion, progressToken: token, envelope }
}

// The server keeps no state between messages, so notifications have no effect.
function readNotification(method: string, meta: Record<string, unknown> | undefined): PlainMessage | null {
  if (!method.startsWith('notifications/') || !earlierMetaSchema.safeParse(meta).success) return null
  return { id: undefined, method, name: '', arguments: {} }
}

/** The `_meta` of a message; null when it is invalid or contains something that only the library supports. */
function findMeta(params: Record<string, unknown> | undefined): Record<string, unknown> | undefined | null {
  const meta = params?._meta
  if (meta === undefined) return undefined
  if (!isRecord(meta)) return null
  if (REHEARSE in meta) return null
  const reserved = Object.keys(meta).filter(key => key.startsWith(RESERVED))
  if (reserved.length === 0) return meta
  return PROTOCOL_VERSION in meta && reserved.every(key => ENVELOPE_KEYS.has(key)) ? meta : null
}

/** Whether the parameters of a message describe the host, as they must since 2026-07-28. */
export const hasEnvelope = ({ _meta }: Record<string, unknown>): boolean => isRecord(_meta) && PROTOCOL_VERSION in _meta

/** Whether the headers repeat the message's values, as they must since 2026-07-28. */
function saysTheSame(headers: IncomingHttpHeaders, method: string, name: unknown): boolean {
  return (
    headers['mcp-protocol-version'] === REVISION &&
    headers['mcp-method'] === method &&
    (method !== 'tools/call' || (typeof name === 'string' && headers['mcp-name'] === name))
  )
}

const KNOWN: ReadonlySet<string> = new Set(EARLIER_REVISIONS)

/** Whether a host accepts JSON: its `Accept` lists it or everything, or is missing. */
export const takesJson = (accept: string | undefined): boolean =>
  !accept || /(?:^|[,\s])(?:application\/(?:json|\*)|\*\/\*)/i.test(accept)

/**
 * Whether a host accepts a stream of events. It must be listed explicitly: a client that accepts everything, such as curl,
 * expects JSON.
 */
export const takesStream = ({ accept = '' }: IncomingHttpHeaders): boolean => /text\/event-stream/i.test(accept)

function isEarlier({ accept, 'mcp-protocol-version': version }: IncomingHttpHeaders): boolean {
  if (!takesJson(accept)) return false
  return version === undefined || (typeof version === 'string' && KNOWN.has(version))
}
