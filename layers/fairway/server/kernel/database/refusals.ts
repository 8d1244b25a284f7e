// Refusals by triggers, so that every surface returns their error code for every kind of write.
import { z } from 'zod'
import { type ErrorCode, errorCatalog } from '#fairway/shared/errors'
import { AppError } from '../http/app-error'
import { literal } from './sql-text'

const MARK = 'fw-refused '

const refusalSchema = z.looseObject({
  code: z.custom<ErrorCode>(value => typeof value === 'string' && Object.hasOwn(errorCatalog, value)),
  detail: z.string().optional(),
})

/**
 * Returns the SQL of a trigger that ends a statement with this error of the catalog, and with further members of its response.
 */
export const raiseSql = (code: ErrorCode, extra: Record<string, unknown> = {}): string =>
  `select raise(abort, ${literal(`${MARK}${JSON.stringify({ code, ...extra })}`)})`

/** Returns the error that a trigger raised by `raiseSql`; undefined for every other failure. */
export function refusalOf(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  const at = error.message.indexOf(MARK)
  if (at === -1) return undefined
  const text = error.message.slice(at + MARK.length, error.message.lastIndexOf('}') + 1)
  const { code, detail, ...extra } = refusalSchema.parse(JSON.parse(text))
  return new AppError(code, { detail, extra, cause: error })
}
