import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { problemSchema } from '#fairway/shared/schemas/problem'
import { actionPath } from '#fairway/shared/paths'
import type { Action } from './action'
import { inputJsonSchema } from './coerce-input'
import { isOffered } from './define-action'

export interface CatalogEntry {
  name: string
  group: string
  /** One of the platform's own. */
  isPlatform?: boolean
  action: Action
}

/** The OpenAPI 3.1 document of every action that HTTP serves here, and of further paths; made once. */
export const openApiDocument = (
  app: App,
  catalog: readonly CatalogEntry[],
  furtherPaths: () => Record<string, object> = () => ({}),
) =>
  app.memo('openapi', () => ({
    openapi: '3.1.0',
    info: {
      title: app.config.name,
      version: '1.0.0',
      description: 'Every action and every collection of this application.',
    },
    servers: [{ url: app.config.baseUrl }],
    paths: {
      ...Object.fromEntries(
        catalog
          .filter(({ action }) => action.http && isOffered(action, app.config))
          .map(entry => [actionPath(entry.name), pathItem(entry)]),
      ),
      ...furtherPaths(),
    },
    components: {
      schemas: { Problem: z.toJSONSchema(problemSchema) },
      securitySchemes: {
        embed: { type: 'http', scheme: 'bearer', description: 'The token of an embed page.' },
        session: { type: 'apiKey', in: 'cookie', name: `${app.config.isHttps ? '__Host-' : ''}fw.session_token` },
      },
    },
  }))

function pathItem({ name, group, action }: CatalogEntry) {
  const schema = inputJsonSchema(action)
  const common = {
    summary: action.description,
    description: action.description,
    tags: [group],
    security: action.public ? [] : [{ session: [] }, ...(action.embed.length > 0 ? [{ embed: [] }] : [])],
    responses: responses(action),
    'x-fairway': { readOnly: action.readOnly, destructive: action.destructive, public: action.public, group },
  }
  const post = {
    operationId: name,
    ...common,
    requestBody: { required: true, content: { 'application/json': { schema } } },
  }
  return action.readOnly
    ? { get: { operationId: `${name}.get`, ...common, parameters: parameters(schema) }, post }
    : { post }
}

function parameters(schema: ReturnType<typeof inputJsonSchema>) {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }))
}

function responses(action: Action) {
  const output = action.output ? z.toJSONSchema(action.output, { unrepresentable: 'any' }) : {}
  const problem = { $ref: '#/components/schemas/Problem' }
  const refused = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: problem } },
  })
  return {
    200: {
      description: 'The result.',
      content: {
        'application/json': { schema: { type: 'object', required: ['result'], properties: { result: output } } },
      },
    },
    400: refused('The input is not accepted.'),
    ...(action.public ? {} : { 401: refused('No session.') }),
    403: refused('The caller may not do this.'),
    413: refused('The body is too large.'),
    504: refused('The action took too long.'),
  }
}
