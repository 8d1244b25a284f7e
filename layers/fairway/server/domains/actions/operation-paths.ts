import type { App } from '#fairway/server/kernel/app-context'
import { ORG_PERMISSIONS } from '#fairway/shared/roles'
import { openApiSchema, parameters, refusals } from './openapi'
import type { Operation } from './operation'
import type { OperationEntry } from './operation-handler'

/** The OpenAPI paths of all operations; loads their code, once. */
export const operationPaths = (app: App, entries: readonly OperationEntry[]): Promise<Record<string, object>> =>
  app.memo('operation-paths', async () => {
    const paths: Record<string, Record<string, object>> = {}
    for (const entry of entries) {
      const path = entry.path.replaceAll(/:(\w+)/g, '{$1}')
      ;(paths[path] ??= {})[entry.method.toLowerCase()] = describe(entry, path, await entry.load())
    }
    return paths
  })

function describe({ name, domain, method }: OperationEntry, path: string, operation: Operation): object {
  const { description, parameters: inPath, permission, recentSignIn, status, limit } = operation
  const at = `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`
  const [query, body] = method === 'GET' ? [fieldsOf(operation, at)] : [undefined, fieldsOf(operation, at)]
  return {
    operationId: name,
    summary: description,
    description,
    tags: [domain],
    security: [{ session: [] }],
    parameters: [
      ...inPath.map(parameter => ({ name: parameter, in: 'path', required: true, schema: { type: 'string' } })),
      ...(query ? parameters(query) : []),
    ],
    ...(body
      ? { requestBody: { required: body.required.length > 0, content: { 'application/json': { schema: body } } } }
      : {}),
    responses: {
      [status]: answerOf(operation, `${at}/responses/${status}/content/application~1json/schema`),
      ...refusals(
        ...(operation.input ? ([400] as const) : []),
        401,
        ...(permission || recentSignIn ? ([403] as const) : []),
        ...(inPath.length > 0 ? ([404] as const) : []),
        ...(body ? ([413, 415] as const) : []),
        ...(limit ? ([429] as const) : []),
      ),
    },
    'x-fairway': {
      readOnly: method === 'GET',
      recentSignIn,
      ...(permission ? { roles: ORG_PERMISSIONS[permission] } : {}),
    },
  }
}

/** The schema of the query or the body: the input without what the path says. */
function fieldsOf({ input, isSent, parameters: inPath, method }: Operation, at: string) {
  if (!input || !isSent) return undefined
  const place = method === 'GET' ? `${at}/parameters` : `${at}/requestBody/content/application~1json/schema`
  const { properties = {}, required = [], ...rest } = openApiSchema(input, 'input', place)
  const isField = (name: string) => !inPath.includes(name)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isField(name))),
    required: required.filter(isField),
  }
}

const answerOf = ({ output }: Operation, at: string): object =>
  output
    ? { description: 'The result.', content: { 'application/json': { schema: openApiSchema(output, 'output', at) } } }
    : { description: 'Done.' }
