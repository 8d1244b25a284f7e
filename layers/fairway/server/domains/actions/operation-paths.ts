import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { exportMediaTypes } from '#fairway/server/kernel/export-rows'
import { ORG_PERMISSIONS } from '#fairway/shared/roles'
import { OPERATOR_SCOPE } from '#fairway/shared/scopes'
import { type DescribedCall, jsonAnswer, pathsOf, tokenSecurity } from './openapi'
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
    const calls = entries.map(async entry => {
      const operationId = actions.includes(entry.name) ? `${entry.domain}.${entry.name}` : entry.name
      return { operationId, ...callOf(entry, await entry.load()) }
    })
    return pathsOf(await Promise.all(calls))
  })

function callOf({ domain, method }: OperationEntry, operation: Operation): Omit<DescribedCall, 'operationId'> {
  const { description, dryRun, input, isSent, path, permission, reads, recentSignIn, status, tokens } = operation
  return {
    description,
    tag: domain,
    security: tokens ? tokenSecurity(OPERATOR_SCOPE) : [{ session: [] }],
    method,
    path,
    input,
    isSent,
    reads,
    trial: dryRun ? 'dryRun' : undefined,
    status,
    answer: at => answerOf(operation, at),
    refused: statusesOf(operation),
    about: {
      readOnly: method === 'GET',
      recentSignIn: recentSignIn === true,
      ...(permission === 'operator' ? { operators: true } : permission && { roles: ORG_PERMISSIONS[permission] }),
    },
  }
}

/** The errors that any operation of its kind may return. */
function statusesOf(operation: Operation): DescribedCall['refused'] {
  const { dryRun, input, limit, parameters: inPath, permission, recentSignIn, tokens } = operation
  const isForOperators = permission === 'operator'
  const statuses = [
    [400, input !== undefined || dryRun],
    [401, true],
    [403, (permission && !isForOperators) || recentSignIn || tokens],
    [404, inPath.length > 0 || isForOperators],
    [429, limit ?? tokens],
  ] as const
  return statuses.flatMap(([status, is]) => (is ? [status] : []))
}

function answerOf({ output, input }: Operation, at: string): object {
  if (output !== 'file') return jsonAnswer(output, at)
  const format = input && 'shape' in input ? input.shape.format : undefined
  const types = Object.entries(exportMediaTypes).filter(([name]) =>
    format instanceof z.ZodType ? format.safeParse(name).success : name === 'json',
  )
  const schema = (name: string) => (name === 'json' ? {} : { type: 'string' })
  const content = Object.fromEntries(types.map(([name, type]) => [type.replace(/;.*/, ''), { schema: schema(name) }]))
  return { description: 'A file to save.', content }
}
