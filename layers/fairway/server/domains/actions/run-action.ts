import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun, withTimeout } from '#fairway/server/kernel/current-run'
import { limitCalls } from '#fairway/server/kernel/limits/call-limits'
import { inSpan, countMetric, observeSeconds } from '#fairway/server/kernel/events/metrics'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { checkGuard, checkOrgOpens, notAMember } from '#fairway/server/domains/organizations'
import type { Rehearsal } from '#fairway/shared/schemas/rehearsal'
import type { Session } from '#fairway/shared/schemas/session'
import { NO_ROW, type RowChanges } from './audit/audit-changes'
import { observeChanges, observedBy } from './audit/observe-changes'
import { findSubjects, findVisitedOrg, subjectsOf, type WrittenSubject } from './audit/audit-subject'
import { isDenial, recordAudit } from './audit/record-audit'
import { authorContext } from './author-context'
import { admit, parseOutput, recorded, runSteps } from './call-steps'
import { referenceFault } from './reference-faults'
import { namedRows, parseNamed } from './parse-named'
import { rehearseCall } from './rehearse-call'
import { type KeptUndo, recordUndo, withUndo } from './undo/keep-undo'
import {
  type Action,
  type ActionCaller,
  type ActionContext,
  type ActionHost,
  HostQuestions,
  keepMcpContent,
} from './action'

export interface ActionCall {
  name: string
  action: Action
  input: unknown
  session: Session | null
  caller: ActionCaller
  /** The host, the peer or the tool behind the surface, for the audit log. */
  via?: string
  requestId: string
  /** Whether the person signed in within the last 15 minutes; missing when a token or a program calls. */
  hasRecentSignIn?: () => Promise<boolean>
  /** The address of the person's program, when one calls; limits per network count it. */
  clientAddress?: string
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal
  host?: ActionHost
  /** What `newId()` returns in it. */
  ids?: readonly string[]
  /** Receives what the call would do. The call is then rolled back, and leaves no audit row. */
  rehearse?: { tell(rehearsal: Rehearsal): void; reader: Session | null }
}

/**
 * Runs an action for any surface: session, guard, input, run, output, audit, in this order. Throws AppError, with `internal` for
 * unexpected errors.
 */
export async function runAction(app: App, call: ActionCall): Promise<unknown> {
  const { session, clientAddress, hasRecentSignIn } = call
  checkMayChange(call)
  const isLimited = call.action.limit.length > 0
  const changes = !call.action.readOnly && !isDryRun(call) && !call.rehearse
  // A deleted row can only be named before the call.
  const before = changes && call.action.destructive ? await findSubjects(app, call) : undefined
  const ids = call.ids && [...call.ids]
  const run = { app, session, caller: call.caller, clientAddress, isLimited, hasRecentSignIn, ids }
  const observed: Observations = {}
  const work = () => measured(app, call, () => withRun(run, () => runChecked(app, call, observed))).catch(toAppError)
  return recorded(work, async ({ result, error }) => {
    // Nothing has happened yet: the call is repeated with the answers.
    if (error instanceof HostQuestions) return
    if (!(error instanceof AppError)) {
      if (changes) await record(app, call, { before, done: { result }, ...observed })
      if (changes && observed.undo && session) await recordUndo(app, { ...call, session }, observed.undo)
      return app.trace?.step(call.requestId, 'answer')
    }
    if (changes || isDenial(error.code)) await record(app, call, { before, error })
    app.trace?.refused(call.requestId, { action: call.name, session, input: call.input, error })
  }).catch(toAppError)
}

/** Runs an action like `runAction` and rolls everything back; tells what the reader may see. Throws also what `rehearseCall` throws. */
export async function rehearseAction(
  app: App,
  call: Omit<ActionCall, 'rehearse'>,
  reader = call.session,
): Promise<{ result: unknown; rehearsal: Rehearsal }> {
  const { promise, resolve } = Promise.withResolvers<Rehearsal>()
  const result = await runAction(app, { ...call, rehearse: { tell: resolve, reader } })
  return { result, rehearsal: await promise }
}

const catalogOf = (app: App) =>
  app.memo('action-catalog', (): { load: () => Promise<readonly NamedAction[]> } => ({ load: async () => [] }))

type NamedAction = Pick<ActionCall, 'name' | 'action'>

/** Sets the actions that `runNamed` finds; they are loaded when it first runs one. */
export function declareActions(app: App, load: () => Promise<readonly NamedAction[]>): void {
  catalogOf(app).load = load
}

/** Runs the action with this name, for an author's code. Throws `unknown-action`, else as `runAction` does. */
export const runNamed = async (app: App, call: Omit<ActionCall, 'action'>): Promise<never> =>
  (await runAction(app, await withAction(app, call))) as never

/** Rehearses the action with this name. Throws `unknown-action`, else as `rehearseAction` does. */
export const rehearseNamed = async (app: App, call: Omit<ActionCall, 'action'>): Promise<unknown> =>
  rehearseAction(app, await withAction(app, call))

async function withAction(app: App, call: Omit<ActionCall, 'action'>): Promise<ActionCall> {
  const actions = await catalogOf(app).load()
  const entry = actions.find(({ name }) => name === call.name)
  if (!entry) throw new AppError('unknown-action', { detail: `There is no action ${call.name}.` })
  return { ...call, action: entry.action }
}

function toAppError(thrown: unknown): never {
  throw thrown instanceof AppError || thrown instanceof HostQuestions
    ? thrown
    : new AppError('internal', { cause: thrown })
}

// Runs before the audit row is written: what an operator tries with another person's session must not count as that person's
// action.
function checkMayChange({ action, session }: ActionCall): void {
  if (!action.readOnly && session?.viewedBy) throw new AppError('view-only')
}

/** Whether the call is a dry run: the action has the boolean input `dryRun` and it is true. */
function isDryRun({ action, input }: ActionCall): boolean {
  const field = action.input.shape.dryRun
  return field !== undefined && z.object({ dryRun: field }).safeParse(input).data?.dryRun === true
}

interface Outcome {
  error?: AppError
  done?: { result: unknown }
  /** The rows that the call was about to write, when they had to be found before it. */
  before?: WrittenSubject[]
  changes?: RowChanges
}

/** What a run leaves for its audit row. */
interface Observations {
  changes?: RowChanges
  undo?: KeptUndo
}

async function record(app: App, call: ActionCall, { error, done, before, changes }: Outcome): Promise<void> {
  const { name, action, ...rest } = call
  app.trace?.step(call.requestId, 'audit', error?.code)
  // Denials of one kind share one row, regardless of their subjects.
  const written = error && isDenial(error.code) ? [] : (before ?? (await findSubjects(app, call, done)))
  const ofNoRow = changes?.get(NO_ROW)
  const subjects = written.map(subject => ({ ...subject, changes: changes?.get(subject.id) ?? ofNoRow }))
  const row = { ...rest, action: name, schema: action.input, keeps: action.audit, changes: ofNoRow, error }
  const byOrg = Map.groupBy(subjects, each => each.visitedOrgId)
  if (done) {
    if (byOrg.size === 0) byOrg.set(await findVisitedOrg(app, call, done), [])
    for (const [org, written] of byOrg) await recordAudit(app, { ...row, subjects: written, visitedOrgId: org })
    return
  }
  // A visitor who was refused leaves no row in an organization.
  await recordAudit(app, { ...row, subjects: byOrg.get(undefined) ?? [] })
}

/** Runs inside a span, and records the outcome and the duration. */
async function measured(app: App, { name, caller }: ActionCall, work: () => Promise<unknown>): Promise<unknown> {
  const began = performance.now()
  const count = (outcome: string) => {
    countMetric(app, 'fairway_actions_total', 'Action runs by surface and outcome.', { action: name, caller, outcome })
    const seconds = (performance.now() - began) / 1000
    observeSeconds(app, 'fairway_action_seconds', 'How long actions ran.', seconds, { action: name })
  }
  try {
    const result = await inSpan(`action ${name}`, { 'fairway.action': name, 'fairway.caller': caller }, work)
    count('ok')
    return result
  } catch (error) {
    count(outcomeOf(error))
    throw error
  }
}

const outcomeOf = (error: unknown): string => {
  if (error instanceof HostQuestions) return 'asked'
  return error instanceof AppError ? error.code : 'internal'
}

/**
 * Throws the errors that `runAction` would throw before the action runs: no session, the guard, the input. Runs nothing; a denial
 * writes its audit row.
 */
export async function checkAction(app: App, call: ActionCall): Promise<void> {
  const { session } = call
  const context = contextOf(app, call, new AbortController().signal)
  const work = () => withRun({ app, session }, () => admit(admissionOf(app, call, context))).catch(toAppError)
  await recorded(work, async ({ error }) => {
    if (error instanceof AppError && isDenial(error.code)) await record(app, call, { error })
  })
}

async function runChecked(app: App, call: ActionCall, observed: Observations): Promise<unknown> {
  const { action } = call
  const clock = new AbortController()
  // One listener costs a fifth of `AbortSignal.any`.
  call.signal?.addEventListener('abort', () => clock.abort(call.signal?.reason), { once: true })
  const context = contextOf(app, call, clock.signal)
  const limited = { session: call.session, clientAddress: call.clientAddress }
  return runSteps({
    ...admissionOf(app, call, context),
    count: () => limitCalls(app, `action:${call.name}`, action.limit, limited),
    run(input) {
      app.trace?.step(call.requestId, 'run', call.name)
      const seconds = action.timeout ?? app.config.actionTimeoutInSeconds
      const work = () =>
        withTimeout(seconds, clock, async () => action.run(input, context)).catch(async thrown => {
          throw await referenceFault(app, { action, input }, thrown)
        })
      const { changes } = action
      const values = changes?.read && (() => changes.read?.(input, context))
      const what = observedBy(app, action, call.session, input, values)
      if (call.rehearse) return rehearsed(app, call, work)
      const undoable = () =>
        withUndo(app, { action, session: call.session, input }, work, undo => (observed.undo = undo))
      return observeChanges(app, what, undoable, rowChanges => (observed.changes = rowChanges))
    },
    send(result) {
      app.trace?.step(call.requestId, 'output')
      return checkedOutput(action, result)
    },
  })
}

async function rehearsed(app: App, call: ActionCall, work: () => Promise<unknown>): Promise<unknown> {
  const subjects = subjectsOf(await catalogOf(app).load())
  const { result, rehearsal } = await rehearseCall(
    app,
    { action: call.action, reader: call.rehearse?.reader ?? null },
    subjects,
    work,
  )
  call.rehearse?.tell(rehearsal)
  return result
}

const admissionOf = (app: App, call: ActionCall, context: ActionContext<Session | null>) => ({
  permit: () => permit(app, call, context),
  readInput: () => readInput(app, call),
})

/** Throws `not-a-member` when a member field names a person outside the organization. */
async function readInput(app: App, { action, session, input, requestId }: ActionCall) {
  app.trace?.step(requestId, 'input')
  const parse = () => parseInput(action.input, input)
  try {
    return await parseNamed(app, session, parse, parsed => namedRows(parsed, idField(action)))
  } catch (error) {
    const stranger = error instanceof AppError && error.errors?.find(({ code }) => code === 'no-member')
    throw stranger ? notAMember(stranger.path) : error
  }
}

/** Throws when the caller may not call the action: no session, an organization that requires a provider, or the guard. */
async function permit(
  { trace }: App,
  { action, session, requestId }: ActionCall,
  context: ActionContext<Session | null>,
): Promise<void> {
  trace?.step(requestId, 'guard', action.guard ? action.guard.name : 'none')
  if (!session && !action.public) throw new AppError('unauthenticated')
  // Without its organization, the session would look like that of a person who works without one.
  if (!action.public) checkOrgOpens(session)
  if (action.guard) await checkGuard(action.guard, context)
}

const idField = ({ subject }: Action): string => subject?.id ?? 'id'

const contextOf = (app: App, call: ActionCall, signal: AbortSignal): ActionContext<Session | null> => ({
  ...authorContext(app, { session: call.session, requestId: call.requestId, signal }),
  caller: call.caller,
  host: call.host ?? null,
})

function checkedOutput({ output }: Action, result: unknown): unknown {
  if (!output) return result ?? null
  const sent = parseOutput(output, result)
  keepMcpContent(result, sent)
  return sent ?? null
}
