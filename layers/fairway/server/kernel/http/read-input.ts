import type { H3Event } from 'h3'
import type { z } from 'zod'
import { parseInput } from './parse-input'
import { readJsonBody } from './read-body'
import { requestQuery } from './request-path'

declare module 'h3' {
  interface H3EventContext {
    /** What was read of query and body so far, parsed; for the audit log. */
    input?: Record<string, unknown>
  }
}

const MAX_BYTES = 64 * 1024

/** The JSON body of a request (64 KiB at most) as its schema says; throws 400, 408, 413 or 415 from the catalog. */
export async function readInput<T extends z.ZodType>(event: H3Event, schema: T): Promise<z.output<T>> {
  return remembered(event, parseInput(schema, await readJsonBody(event, { maxBytes: MAX_BYTES })))
}

/** The query of a request as its schema says; of a name that is given twice the last one counts. */
export const readQuery = <T extends z.ZodType>(event: H3Event, schema: T): z.output<T> =>
  remembered(event, parseInput(schema, Object.fromEntries(new URLSearchParams(requestQuery(event)))))

function remembered<T>(event: H3Event, input: T): T {
  event.context.input = { ...event.context.input, ...input }
  return input
}
