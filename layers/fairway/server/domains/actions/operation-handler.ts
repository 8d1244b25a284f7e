import { getRouterParams, type H3Event, setResponseStatus } from 'h3'
import { z } from 'zod'
import { isRecord } from '#fairway/shared/record'
import { type Actor, requireOrg } from '#fairway/server/domains/organizations'
import { requireOperator } from '#fairway/server/domains/people'
import { requireRecentSignIn, requireSession, type ServerSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { type ExportFile, sendExport } from '#fairway/server/kernel/export-rows'
import { isOn, requestInfo } from '#fairway/server/kernel/http/request-info'
import { hasBody, parseInput, readInput, readQuery } from '#fairway/server/kernel/http/read-input'
import { limitCall } from '#fairway/server/kernel/limits/call-limits'
import { NO_ROW, type RowChanges } from './audit/audit-changes'
import { observeChanges, observedValues } from './audit/observe-changes'
import { leavingRow } from './audit/record-audit'
import type { Method } from './address'
import type { Operation } from './operation'
import { parseOutput, runSteps } from './call-steps'
import type { Answer, Served } from './serve-addresses'

/** The facts about an operation that the build knows before its code is loaded. */
export interface OperationEntry {
  name: string
  domain: string
  method: Method
  path: string
  isAudited: boolean
  load(): Promise<Operation>
}

/** The audit row of an operation that its token may not run. */
interface RefusedWrite {
  action: string
  keeps: readonly string[]
  orgId?: null
}

/** Answers as the person behind the API token of a request. Without a token, `answer` finds the session. */
type WithToken = (
  event: H3Event,
  answer: (tokenSession?: ServerSession) => Promise<unknown>,
  write?: RefusedWrite,
) => Promise<unknown>

/** What serves these operations. It loads the code of an operation with its first request. */
export const servedOperations = (entries: readonly OperationEntry[], withToken: WithToken): Served[] =>
  entries.map(({ name, method, path, load }) => {
    let known: Promise<{ isThere: Operation['isThere']; answer: Answer }> | undefined
    const loaded = () =>
      (known ??= load().then(operation => ({
        isThere: operation.isThere,
        answer: answerOf(name, operation, withToken),
      })))
    return {
      method,
      path,
      isThere: async event => (await loaded()).isThere?.(getApp(event).config) ?? true,
      answer: async event => (await loaded()).answer(event),
    }
  })

interface Calling {
  isDryRun?: boolean
  isToken?: boolean
}

/** Session, permission, recent sign-in, limit, input, run, output, in this order; then the audit row. */
function answerOf(name: string, operation: Operation, withToken: WithToken): Answer {
  const { audit, auditsElsewhere, changes, dryRun, limit, output, permission, recentSignIn, run, status, tokens } =
    operation
  const resultFields = audit?.filter(field => !inputFields(operation).has(field)) ?? []
  const answer = (event: H3Event, session: ServerSession, calling: Calling = {}): Promise<unknown> => {
    const { isDryRun = false } = calling
    const app = getApp(event)
    let actor: Actor | undefined
    return runSteps({
      permit() {
        if (permission && permission !== 'operator') actor = requireOrg(session, permission)
        return checkSignIn(event, recentSignIn === true, calling)
      },
      count: () => limit && limitCall(app, limit, { session, clientAddress: requestInfo(event).clientAddress }),
      async readInput() {
        if (dryRun) readQuery(event, dryRunSchema)
        const input = await inputOf(event, operation)
        await checkSignIn(event, typeof recentSignIn === 'function' && recentSignIn(input as never), calling)
        return input
      },
      run(input) {
        const context = { app, session, event, isDryRun, actor }
        const observed =
          changes && !isDryRun ? observedValues(changes.fields, () => changes.read(input, context)) : undefined
        const keep = (rowChanges: RowChanges) => (event.context.auditChanges = rowChanges.get(NO_ROW))
        return observeChanges(app, observed, () => run(input, context), keep)
      },
      send(result) {
        keepForAudit(event, result, resultFields)
        if (status !== 200) setResponseStatus(event, status)
        // The types of a declaration guarantee this.
        if (output === 'file') return sendExport(event, result as ExportFile)
        return output ? parseOutput(output, result) : undefined
      },
    })
  }
  const respond = async (event: H3Event, tokenSession?: ServerSession): Promise<unknown> => {
    const findSession = async () => tokenSession ?? (await requireSession(event))
    if (permission === 'operator') requireOperator(getApp(event), await findSession())
    if (dryRun && isOn(event, 'dryRun')) return answer(event, await findSession(), { isDryRun: true })
    const plain = async () => answer(event, await findSession(), { isToken: tokenSession !== undefined })
    return audit
      ? leavingRow(name, { keeps: audit, isElsewhere: auditsElsewhere, tokenSession }, plain)(event)
      : plain()
  }
  const write = audit && { action: name, keeps: audit, ...(auditsElsewhere && { orgId: null }) }
  return event => {
    event.context.openIn = operation.openIn
    return tokens ? withToken(event, session => respond(event, session), write) : respond(event)
  }
}

async function checkSignIn(event: H3Event, isSensitive: boolean, { isDryRun, isToken }: Calling): Promise<void> {
  if (isSensitive && !isDryRun && !isToken) await requireRecentSignIn(event)
}

/** Adds fields of the result to those of the input for the audit row. */
function keepForAudit(event: H3Event, result: unknown, fields: readonly string[]): void {
  if (fields.length === 0 || !isRecord(result)) return
  const resultFields = Object.fromEntries(fields.map(field => [field, result[field]]))
  event.context.input = { ...event.context.input, ...resultFields }
}

/** The names of all fields that callers can send. */
const inputFields = ({ input, parameters }: Operation): Set<string> => {
  const shapes = input instanceof z.ZodUnion ? input.options.map(option => option.shape) : [input?.shape ?? {}]
  return new Set([...parameters, ...shapes.flatMap(shape => Object.keys(shape))])
}

const dryRunSchema = z.object({ dryRun: z.enum(['true', 'false', '1', '0']).default('false') })

/** The parameters of the path, and the fields of the query or body. A field with the name of a path parameter is ignored. */
async function inputOf(
  event: H3Event,
  { method, parameters, input, isSent, mayBeEmpty }: Operation,
): Promise<Record<string, unknown>> {
  const inPath = parameters.length > 0 ? getRouterParams(event, { decode: true }) : {}
  if (!input) return inPath
  if (!isSent || (mayBeEmpty && method !== 'GET' && !hasBody(event.node.req))) return parseInput(input, inPath)
  return method === 'GET' ? readQuery(event, input, inPath) : readInput(event, input, inPath)
}
