import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { exportMediaTypes } from '#fairway/server/kernel/export-rows'
import { ORG_PERMISSIONS } from '#fairway/shared/roles'
import { OPERATOR_SCOPE } from '#fairway/shared/scopes'
import { type JsonSchema, openApiSchema, parameters, refusals, tokenSecurity } from './openapi'
import type { Operation } from './operation'
import type { OperationEntry } from './operation-handler'

/** The OpenAPI paths of all operations; loads their code, once. */
export const operationPaths = (
  app: App,
  entries: readonly OperationEntry[],
  /** The names of the actions. An operation with the name of an action gets its domain as a prefix. */
  actions: readonly string[],
): Promise<Record<string, object>> =>
  app.memo('operation-paths', async () => {
    const paths: Record<string, Record<string, object>> = {}
    for (const entry of entries) {
      const path = entry.path.replaceAll(/:(\w+)/g, '{$1}')
      const operationId = actions.includes(entry.name) ? `${entry.domain}.${entry.name}` : entry.name
      ;(paths[path] ??= {})[entry.method.toLowerCase()] = {
        operationId,
        ...describe(entry, path, await entry.load()),
      }
    }
    return paths
  })

function describe({ domain, method }: OperationEntry, path: string, operation: Operation): object {
  const { description, dryRun, parameters: inPath, permission, recentSignIn, status, tokens } = operation
  const at = `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`
  const [query, body] = method === 'GET' ? [fieldsOf(operation, at)] : [undefined, fieldsOf(operation, at)]
  return {
    summary: description,
    description,
    tags: [domain],
    security: tokens ? tokenSecurity(OPERATOR_SCOPE) : [{ session: [] }],
    parameters: [
      ...inPath.map(parameter => ({ name: parameter, in: 'path', required: true, schema: { type: 'string' } })),
      ...(query ? parameters(query) : []),
      ...(dryRun ? [DRY_RUN] : []),
    ],
    ...bodyOf(operation, body),
    responses: {
      [status]: answerOf(operation, `${at}/responses/${status}/content/application~1json/schema`),
      ...refusals(...statusesOf(operation, body !== undefined)),
    },
    'x-fairway': {
      readOnly: method === 'GET',
      recentSignIn: recentSignIn === true,
      ...(permission === 'operator' ? { operators: true } : permission && { roles: ORG_PERMISSIONS[permission] }),
    },
  }
}

const DRY_RUN = { name: 'dryRun', in: 'query', schema: { enum: ['true', 'false', '1', '0'], default: 'false' } }

function bodyOf({ reads }: Operation, schema: JsonSchema | undefined): object {
  if (reads) return { requestBody: { required: true, content: { [reads]: {} } } }
  if (!schema) return {}
  return { requestBody: { required: schema.required?.length !== 0, content: { 'application/json': { schema } } } }
}

/** The errors that any operation of its kind may return. */
function statusesOf(operation: Operation, hasBody: boolean): Parameters<typeof refusals> {
  const { dryRun, input, limit, parameters: inPath, permission, reads, recentSignIn, tokens } = operation
  const isForOperators = permission === 'operator'
  const statuses = [
    [400, input !== undefined || dryRun],
    [401, true],
    [403, (permission && !isForOperators) || recentSignIn || tokens],
    [404, inPath.length > 0 || isForOperators],
    [413, hasBody || reads],
    [415, hasBody || reads],
    [429, limit ?? tokens],
  ] as const
  return statuses.flatMap(([status, is]) => (is ? [status] : []))
}

/** The schema of the query or the body: the input without the path parameters. */
function fieldsOf({ input, isSent, parameters: inPath, method }: Operation, at: string) {
  if (!input || !isSent) return undefined
  const place = method === 'GET' ? `${at}/parameters` : `${at}/requestBody/content/application~1json/schema`
  const schema = openApiSchema(input, 'input', place)
  if (!schema.properties) return schema
  const { properties, required = [], ...rest } = schema
  const isField = (name: string) => !inPath.includes(name)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isField(name))),
    required: required.filter(isField),
  }
}

function answerOf({ output, input }: Operation, at: string): object {
  if (!output) return { description: 'Done.' }
  if (output !== 'file')
    return {
      description: 'The result.',
      content: { 'application/json': { schema: openApiSchema(output, 'output', at) } },
    }
  const format = input && 'shape' in input ? input.shape.format : undefined
  const types = Object.entries(exportMediaTypes).filter(([name]) =>
    format instanceof z.ZodType ? format.safeParse(name).success : name === 'json',
  )
  const schema = (name: string) => (name === 'json' ? {} : { type: 'string' })
  const content = Object.fromEntries(types.map(([name, type]) => [type.replace(/;.*/, ''), { schema: schema(name) }]))
  return { description: 'A file to save.', content }
}
