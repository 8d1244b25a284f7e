import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { problemSchema } from '#fairway/shared/schemas/problem'
import { actionPath } from '#fairway/shared/paths'
import type { TokenScope } from '#fairway/shared/scopes'
import type { Action } from './action'
import { dropFormKeywords } from './coerce-input'
import { isOffered, scopeOfAction } from './define-action'

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
      paths: {
        ...Object.fromEntries(actions.map(entry => [actionPath(entry.name), pathItem(entry)])),
        ...paths,
      },
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

function pathItem({ name, group, action }: CatalogEntry) {
  const at = `#/paths/${actionPath(name).replaceAll('/', '~1')}/post`
  const input = openApiSchema(action.input, 'input', `${at}/requestBody/content/application~1json/schema`)
  const content = `${at}/responses/200/content/application~1json/schema/properties/result`
  const result = action.output ? openApiSchema(action.output, 'output', content) : {}
  const embed = action.embed.length > 0 ? [{ embed: [] }] : []
  const ok = {
    description: 'The result.',
    content: { 'application/json': { schema: { type: 'object', required: ['result'], properties: { result } } } },
  }
  const statuses = [400, ...(action.public ? [] : [401 as const]), 403, 404, 429, 504] as const
  const common = {
    summary: action.description,
    description: action.description,
    tags: [group],
    security: action.public ? [] : [...tokenSecurity(scopeOfAction(action)), ...embed],
    'x-fairway': { readOnly: action.readOnly, destructive: action.destructive, public: action.public, group },
  }
  const post = {
    operationId: name,
    ...common,
    requestBody: { required: true, content: { 'application/json': { schema: input } } },
    responses: { 200: ok, ...refusals(...statuses, 413, 415) },
  }
  if (!action.readOnly) return { post }
  const responses = { 200: ok, ...refusals(...statuses) }
  return { get: { operationId: `${name}.get`, ...common, parameters: parameters(input), responses }, post }
}

/** The fields of a schema as parameters of the query. */
export const parameters = ({ properties = {}, required = [] }: JsonSchema) =>
  Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
