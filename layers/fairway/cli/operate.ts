// Calls operations for operators: in the database of this folder, or with a personal token in a remote application.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { createEvent } from 'h3'
import type { OperationTypes } from '#fw/operations'
import { findOperations } from '../modules/registry/operation-files'
import { type Operation, parseOutput, recordWithin } from '../server/domains/actions'
import type { ServerSession } from '../server/domains/sessions'
import type { App } from '../server/kernel/app-context'
import { AppError } from '../server/kernel/http/app-error'
import { parseInput } from '../server/kernel/http/read-input'
import { operationRequest } from '../shared/operation-request'
import { inLocalApp, operatorSession, tellLocalFailure } from './local-app'
import { callRemotely, RemoteFailure } from './remote-action'
import { endWith, tellFailure, UsageFault } from './terminal'

/** The options for where a command acts, and as which person. */
export const placeOptions = {
  at: { type: 'string', description: 'The address of an application elsewhere; FW_TOKEN is a token of an operator.' },
  operator: {
    type: 'string',
    description: 'Your address, one of FW_OPERATORS. In production a change needs it; the audit log names you.',
  },
} as const

interface Place {
  at?: string
  operator?: string
}

type Name = keyof OperationTypes

/** Calls an operation by its name and returns its output. */
export type Call = <N extends Name>(name: N, input: OperationTypes[N]['input']) => Promise<OperationTypes[N]['output']>

/** Runs a command of operators, and exits with its exit code; prints errors in one line. */
export const operate = (place: Place, work: (call: Call) => Promise<number>): Promise<void> =>
  endWith(
    () => operateAt(place, work),
    thrown =>
      thrown instanceof RemoteFailure || thrown instanceof UsageFault ? tellFailure(thrown) : tellLocalFailure(thrown),
  )

async function operateAt({ at, operator }: Place, work: (call: Call) => Promise<number>): Promise<number> {
  if (at === undefined) return inLocalApp(app => work(callHere(app, operator)))
  if (operator !== undefined)
    throw new UsageFault('--operator is for the server itself. With --at, the token in FW_TOKEN says who acts.')
  return work(async (name, input) => {
    const answer = await callRemotely(at, process.env.FW_TOKEN, operationRequest(entryOf(name), input))
    // The remote application may have another version, but this is the documented schema.
    return answer as never
  })
}

function entryOf(name: Name) {
  const entry = findOperations().find(each => each.name === name)
  if (!entry) throw new Error(`There is no operation ${name}.`)
  return entry
}

/** On the server, reading requires no operator. In development, no operation does. */
const NOBODY = { userId: '', email: '' } as ServerSession

function callHere(app: App, operator: string | undefined): Call {
  return async (name, input) => {
    const { file } = entryOf(name)
    const { default: operations } = (await import(pathToFileURL(file).href)) as { default: Record<string, Operation> }
    const operation = operations[name]
    if (!operation) throw new AppError('not-found')
    const { audit, auditsElsewhere, output } = operation
    const session = audit || operator !== undefined ? await operatorSession(app, operator) : null
    const parsed = operation.input ? parseInput(operation.input, input) : { ...input }
    const request = new IncomingMessage(new Socket())
    const event = createEvent(request, new ServerResponse(request))
    const result = await operation.run(parsed, { app, session: session ?? NOBODY, event, isDryRun: false })
    const kept = { ...parsed, ...Object(result) } as Record<string, unknown>
    if (audit)
      await recordWithin(app, app.db.orm, {
        action: name,
        caller: 'cli',
        session,
        orgId: auditsElsewhere ? (event.context.auditOrgId ?? null) : null,
        input: Object.fromEntries(audit.flatMap(field => (kept[field] === undefined ? [] : [[field, kept[field]]]))),
      })
    return (output && output !== 'file' ? parseOutput(output, result) : undefined) as never
  }
}
