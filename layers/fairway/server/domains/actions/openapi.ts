import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { problemSchema } from '#fairway/shared/schemas/problem'
import { actionPath } from '#fairway/shared/paths'
import type { TokenScope } from '#fairway/shared/scopes'
import type { Action } from './action'
import { parametersIn } from './address'
import { dropFormKeywords } from './coerce-input'
import { isOffered, scopeOfAction } from './callers'

export interface CatalogEntry {
  name: string
  group: string
  /** Whether it is an action of the platform. */
  isPlatform?: boolean
  action: Action
}

/** Additional paths of the document, and the schemas that they refer to. */
interface FurtherPaths {
  paths: Record<string, object>
  schemas: Record<string, object>
}

/** The OpenAPI 3.1 document of every action with HTTP access in this installation, and of additional paths. Created once. */
export const openApiDocument = (
  app: App,
  catalog: readonly CatalogEntry[],
  further: () => FurtherPaths = () => ({ paths: {}, schemas: {} }),
) =>
  app.memo('openapi', () => {
    const { paths, schemas } = further()
    const actions = catalog.filter(({ action }) => action.http && isOffered(action, app.config))
    return {
      openapi: '3.1.0',
      info: {
        title: app.config.name,
        version: '1.0.0',
        description: 'The actions, collections and operations of this application.',
      },
      servers: [{ url: app.config.baseUrl }],
      paths: { ...pathsOf(actions.flatMap(callsOf)), ...paths },
      components: {
        // Problems may have additional members (RFC 9457 §3.2), which the schema of an output would refuse.
        schemas: { Problem: openApiSchema(problemSchema, 'input', '#/components/schemas/Problem'), ...schemas },
        responses: Object.fromEntries(
          Object.entries(REFUSALS).map(([status, text]) => [status, refusal(status, text)]),
        ),
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: `${app.config.isHttps ? '__Host-' : ''}fw.session_token` },
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API token, with the scopes that the operation lists.',
          },
          embed: { type: 'http', scheme: 'bearer', description: 'The token of an embed page.' },
        },
      },
    }
  })

export type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * The JSON Schema of an input or output for the place `pointer` in an OpenAPI document; its internal references start with that
 * pointer.
 */
export function openApiSchema(schema: z.core.$ZodType, io: 'input' | 'output', pointer: string): JsonSchema {
  const {
    $schema: _dialect,
    $ref: root,
    ...stated
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      dropFormKeywords(jsonSchema)
      // JSON writes dates as ISO 8601.
      if (io === 'output' && zodSchema._zod.def.type === 'date')
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
    },
  })
  // Zod moves a schema that has an id into `$defs`.
  const named = stated.$defs?.[String(root).replace('#/$defs/', '')]
  const placed = (name: string, value: unknown) =>
    name === '$ref' && typeof value === 'string' ? value.replace(/^#/, pointer) : value
  return JSON.parse(JSON.stringify({ ...named, ...stated }, placed))
}

const REFUSALS = {
  400: 'The input, a parameter or a cursor is not valid.',
  401: 'There is no session, or the token is not valid.',
  403: 'The caller may not do this.',
  404: 'It does not exist, or the caller may not see it.',
  406: 'The format is not served.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
  429: 'Too many requests. `Retry-After` says when to try again.',
  504: 'The request took too long.',
  default: 'Any other refusal or failure.',
}

const refusal = (status: string, description: string) => ({
  description,
  ...(status === '401' || status === '403'
    ? { headers: { 'WWW-Authenticate': { description: 'What a token needs.', schema: { type: 'string' } } } }
    : {}),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

/** The responses of an operation with these statuses, and the default response. */
export const refusals = (...statuses: (keyof typeof REFUSALS)[]) =>
  Object.fromEntries(
    [...statuses, 'default'].map(status => [status, { $ref: `#/components/responses/${String(status)}` }]),
  )

/** The security requirement of protected paths: a session, or an API token with the scope. */
export const tokenSecurity = (scope: TokenScope) => [{ session: [] }, { token: [scope] }]

/** One call as the document describes it. */
export interface DescribedCall {
  operationId: string
  description: string
  tag: string
  security: readonly object[]
  method: string
  /** With parameters, such as `/_fw/jobs/:id`. */
  path: string
  /** The fields of path, query and body; undefined when there are only texts in the path. */
  input?: z.core.$ZodType
  /** Whether the query (GET) or the body is read. */
  isSent: boolean
  /** Where the document has the whole input, if anywhere; references of the query lead there. */
  inputAt?: string
  /** The media type of a body that is no JSON. */
  reads?: string
  /** The switch of the query that says what the call would do, if it has one. */
  trial?: keyof typeof TRIALS
  status: number
  /** The response, whose schema is at this place. */
  answer(at: string): object
  refused: readonly (keyof typeof REFUSALS)[]
  about: object
}

/** The paths of these calls. */
export function pathsOf(calls: readonly DescribedCall[]): Record<string, object> {
  const paths: Record<string, Record<string, object>> = {}
  for (const call of calls) (paths[inBraces(call.path)] ??= {})[call.method.toLowerCase()] = describe(call)
  return paths
}

const inBraces = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')
const pointerTo = (path: string, method: string): string => `#/paths/${inBraces(path).replaceAll('/', '~1')}/${method}`
const ofBody = (at: string): string => `${at}/requestBody/content/application~1json/schema`

function describe({ method, path, ...call }: DescribedCall): object {
  const { operationId, description, tag, security, status, trial, reads } = call
  const at = pointerTo(path, method.toLowerCase())
  const isRead = method === 'GET'
  const { inputAt = isRead ? `${at}/parameters` : ofBody(at) } = call
  const schema = call.input && openApiSchema(call.input, 'input', inputAt)
  const inPath = parametersIn(path)
  const sent = call.isSent ? schema && withoutFields(schema, inPath) : undefined
  const body = isRead ? undefined : sent
  return {
    operationId,
    summary: description,
    description,
    tags: [tag],
    security,
    parameters: [
      ...inPath.map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...(isRead && sent ? parameters(sent) : []),
      ...(trial ? [TRIALS[trial]] : []),
    ],
    ...bodyOf(reads, body),
    responses: {
      [status]: call.answer(`${at}/responses/${status}/content/application~1json/schema`),
      ...refusals(...call.refused, ...(body || reads ? ([413, 415] as const) : [])),
    },
    'x-fairway': call.about,
  }
}

const SWITCH = { in: 'query', schema: { enum: ['true', 'false', '1', '0'], default: 'false' } }
const TRIALS = {
  dryRun: { name: 'dryRun', ...SWITCH },
  rehearse: { name: 'rehearse', ...SWITCH, description: 'Answers with what it would change, and changes nothing.' },
}

function bodyOf(reads: string | undefined, schema: JsonSchema | undefined): object {
  if (reads) return { requestBody: { required: true, content: { [reads]: {} } } }
  if (!schema) return {}
  return { requestBody: { required: schema.required?.length !== 0, content: { 'application/json': { schema } } } }
}

function withoutFields(schema: JsonSchema, names: readonly string[]): JsonSchema {
  if (!schema.properties) return schema
  const { properties, required = [], ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    required: required.filter(name => !names.includes(name)),
  }
}

/** The response with a JSON value of this schema, or an empty one. */
export const jsonAnswer = (output: z.core.$ZodType | undefined, at: string): object =>
  output
    ? {
        description: 'The result.',
        content: { 'application/json': { schema: openApiSchema(output, 'output', at) } },
      }
    : { description: 'Done.' }

/** The calls of an action: by its name, and at its address. */
function callsOf({ name, group, action }: CatalogEntry): DescribedCall[] {
  const { description, input, output, address, readOnly, destructive, public: isPublic } = action
  const path = actionPath(name)
  const embed = action.embed.length > 0 ? [{ embed: [] }] : []
  const call = {
    description,
    tag: group,
    security: isPublic ? [] : [...tokenSecurity(scopeOfAction(action)), ...embed],
    input,
    inputAt: ofBody(pointerTo(path, 'post')),
    trial: readOnly || action.external || isPublic ? undefined : ('rehearse' as const),
    refused: [400, ...(isPublic ? [] : [401 as const]), 403, 404, 429, 504] as const,
    about: { readOnly, destructive, public: isPublic, group },
  }
  const envelope = (at: string) => ({ type: 'object', required: ['result'], properties: { result: resultOf(at) } })
  const resultOf = (at: string) => (output ? openApiSchema(output, 'output', `${at}/properties/result`) : {})
  const answer = (at: string) => ({
    description: 'The result.',
    content: { 'application/json': { schema: envelope(at) } },
  })
  const byName = { ...call, path, isSent: true, status: 200, answer }
  return [
    ...(address ? [{ ...call, ...address, operationId: name, answer: (at: string) => jsonAnswer(output, at) }] : []),
    ...(readOnly ? [{ ...byName, method: 'GET', operationId: `${name}.get` }] : []),
    { ...byName, method: 'POST', operationId: address ? `${name}.call` : name },
  ]
}

/** The fields of a schema as parameters of the query. */
const parameters = ({ properties = {}, required = [] }: JsonSchema) =>
  Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
