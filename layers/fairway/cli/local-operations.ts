// Calls operations in the database of this folder.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { createEvent } from 'h3'
import type { FoundOperation } from '../modules/registry/operation-files'
import { loadable } from '../modules/registry/roots'
import { type Operation, parseOutput, recordWithin } from '../server/domains/actions'
import type { ServerSession } from '../server/domains/sessions'
import type { App } from '../server/kernel/app-context'
import { AppError } from '../server/kernel/http/app-error'
import { parseInput } from '../server/kernel/http/read-input'
import { operatorSession } from './local-app'

/** On the server, reading requires no operator. In development, no operation does. */
const NOBODY = { userId: '', email: '' } as ServerSession

/**
 * Runs an operation as the operator of this address, writes its audit row, and returns its output. Throws what the operation
 * throws, and `operatorSession`.
 */
export async function callLocally(
  app: App,
  { name, file }: FoundOperation,
  input: unknown,
  operator: string | undefined,
): Promise<unknown> {
  const { href } = pathToFileURL(loadable(file))
  const { default: operations } = (await import(href)) as { default: Record<string, Operation> }
  const operation = operations[name]
  if (!operation) throw new AppError('not-found')
  const { audit, auditsElsewhere, output } = operation
  const session = audit || operator !== undefined ? await operatorSession(app, operator) : null
  const parsed = operation.input ? parseInput(operation.input, input) : { ...Object(input) }
  const request = new IncomingMessage(new Socket())
  const event = createEvent(request, new ServerResponse(request))
  const result = await operation.run(parsed, { app, session: session ?? NOBODY, event, isDryRun: false })
  const fields = { ...parsed, ...Object(result) } as Record<string, unknown>
  if (audit)
    await recordWithin(app, app.db.orm, {
      action: name,
      caller: 'cli',
      session,
      orgId: auditsElsewhere ? (event.context.auditOrgId ?? null) : null,
      input: Object.fromEntries(audit.flatMap(field => (fields[field] === undefined ? [] : [[field, fields[field]]]))),
    })
  return output && output !== 'file' ? parseOutput(output, result) : undefined
}
