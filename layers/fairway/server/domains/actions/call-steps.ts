// The steps of everything that can be called: actions on every surface, and operations at their addresses.
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'

interface Admission<Input> {
  /** Throws unless the caller may call it. */
  permit(): unknown
  /** Counts the call under its limits. A check that runs nothing counts nothing. */
  count?(): unknown
  readInput(): Input | Promise<Input>
}

interface CallSteps<Input, Result> extends Admission<Input> {
  run(input: Input): Result | Promise<Result>
  /** The result as it is sent. */
  send(result: Result): unknown
}

/** Returns the input of a caller who may call it: permission, limit, input, in this order. */
export async function admit<Input>({ permit, count, readInput }: Admission<Input>): Promise<Input> {
  await permit()
  await count?.()
  return readInput()
}

/** Runs a call: permission, limit, input, run, output, in this order. Each step throws to refuse. */
export async function runSteps<Input, Result>(steps: CallSteps<Input, Result>): Promise<unknown> {
  const input = await admit(steps)
  return steps.send(await steps.run(input))
}

/** Runs `work` and then `record`, whether it succeeds or fails. */
export async function recorded<T>(
  work: () => Promise<T>,
  record: (outcome: { result?: T; error?: unknown }) => Promise<void>,
): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    await record({ error })
    throw error
  }
  await record({ result })
  return result
}

/** Returns the response for a result. Throws `internal` when the result does not match the output schema. */
export function parseOutput(output: z.core.$ZodType, result: unknown): unknown {
  const parsed = z.safeParse(output, result)
  if (parsed.success) return parsed.data
  const cause = `the result does not fit the output schema: ${z.prettifyError(parsed.error)}`
  throw new AppError('internal', { cause })
}
