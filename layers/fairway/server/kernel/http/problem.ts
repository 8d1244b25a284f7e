import { errorCatalog } from '#fairway/shared/errors'
import type { Problem } from '#fairway/shared/schemas/problem'
import { AppError } from './app-error'

export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** Turns any thrown value into the catalog's error: unknown values become `internal`, HTTP-like ones keep their meaning. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const status = statusOf(thrown)
  if (status === 404) return new AppError('not-found', { cause: thrown })
  if (status === 405) return new AppError('method-not-allowed', { cause: thrown })
  if (status === 413) return new AppError('payload-too-large', { cause: thrown })
  if (status >= 400 && status < 500) return new AppError('invalid-request', { cause: thrown })
  return new AppError('internal', { cause: thrown })
}

/** The RFC 9457 body of an error; a 5xx never carries a detail. */
export function toProblem(error: AppError, requestId: string): Problem {
  const isPublic = error.status < 500
  return {
    ...(isPublic ? error.extra : {}),
    type: `urn:fairway:error:${error.code}`,
    title: errorCatalog[error.code].title,
    status: error.status,
    ...(isPublic && error.detail ? { detail: error.detail } : {}),
    code: error.code,
    requestId,
    ...(isPublic && error.errors ? { errors: error.errors } : {}),
  }
}

function statusOf(thrown: unknown): number {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return 500
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : 500
}
