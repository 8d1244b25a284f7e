import { z } from 'zod'
import type { App } from '#server/foundation/app-context'
import { withRun } from '#server/foundation/current-run'
import { AppError } from '#server/foundation/http/app-error'
import { parseInput } from '#server/foundation/http/parse-input'
import type { Session } from '#shared/schemas/session'
import type { Action, ActionCaller, ActionContext } from './action'
import { isDenial, recordAudit } from './record-audit'

export interface ActionCall {
  name: string
  action: Action
  input: unknown
  session: Session | null
  caller: ActionCaller
  requestId: string
  /** Aborted when the caller has gone. */
  signal?: AbortSignal
}

/** Runs an action for any surface: session, guard, input, run, output, audit, in this order. Throws AppError, `internal` for what was not foreseen. */
export async function runAction(app: App, call: ActionCall): Promise<unknown> {
  const { name, action, input, session, caller, requestId } = call
  const audit = (error?: unknown) => recordAudit(app, { action: name, caller, session, requestId, input, error })
  try {
    const result = await withRun({ app, session }, () => runChecked(app, call))
    if (!action.readOnly) await audit()
    return result
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : new AppError('internal', { cause: thrown })
    if (!action.readOnly || isDenial(error.code)) await audit(error)
    throw error
  }
}

async function runChecked(app: App, call: ActionCall): Promise<unknown> {
  const { action, session } = call
  if (!session && !action.public) throw new AppError('unauthenticated')
  const clock = new AbortController()
  // One listener costs a fifth of what `AbortSignal.any` does.
  call.signal?.addEventListener('abort', () => clock.abort(call.signal?.reason), { once: true })
  const context: ActionContext<Session | null> = {
    session,
    orgId: session?.orgId ?? null,
    db: app.db.orm,
    caller: call.caller,
    signal: clock.signal,
    requestId: call.requestId,
    now: app.now,
  }
  if (action.guard && (await action.guard(context)) !== true) throw new AppError('forbidden')
  const input = parseInput(action.input, call.input)
  const seconds = action.timeout ?? app.config.actionTimeoutInSeconds
  const result = await within(seconds, clock, async () => action.run(input, context))
  return checkedOutput(action, result)
}

// What went on without us may still fail later; its failure has no one to tell.
async function within<T>(seconds: number, clock: AbortController, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new AppError('timed-out')
      clock.abort(error)
      reject(error)
    }, seconds * 1000)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

function checkedOutput(action: Action, result: unknown): unknown {
  if (!action.output) return result ?? null
  const parsed = action.output.safeParse(result)
  if (parsed.success) return parsed.data ?? null
  throw new AppError('internal', {
    cause: `the result does not fit the output schema: ${z.prettifyError(parsed.error)}`,
  })
}
