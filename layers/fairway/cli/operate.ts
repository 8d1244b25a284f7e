// Calls operations for operators: in the database of this folder, or with a personal token in a remote application.
import type { OperationTypes } from '#fw/operations'
import { operationRequest } from '../shared/operation-request'
import { callRemotely, RemoteFailure } from './remote-action'
import { endWith, tellFailure, tellLocalFailure, UsageFault } from './terminal'

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
  const { findOperation } = await import('../modules/registry/operation-files')
  if (at === undefined) {
    const { inLocalApp } = await import('./local-app')
    const { callLocally } = await import('./local-operations')
    return inLocalApp(app =>
      work(async (name, input) => (await callLocally(app, findOperation(name), input, operator)) as never),
    )
  }
  if (operator !== undefined)
    throw new UsageFault('--operator is for the server itself. With --at, the token in FW_TOKEN says who acts.')
  return work(async (name, input) => {
    const answer = await callRemotely(at, process.env.FW_TOKEN, operationRequest(findOperation(name), input))
    // The remote application may have another version, but this is the documented schema.
    return answer as never
  })
}

/** Returns the time of `--until` as ISO 8601. Throws a UsageFault for text that is not a time. */
export const timeOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new UsageFault(`--until takes a time such as 2031-05-20, not ${text}.`)
  return date.toISOString()
}
