import { z } from 'zod'
import { jsonOf } from '#fairway/server/kernel/declaration'
import type { ErrorCode } from '#fairway/shared/errors'
import { AppError } from '#fairway/server/kernel/http/app-error'

const bodySchema = z.object({ code: z.string().optional() })

const codes: Record<string, ErrorCode> = {
  INVALID_EMAIL_OR_PASSWORD: 'invalid-credentials',
  INVALID_PASSWORD: 'invalid-credentials',
  USER_NOT_FOUND: 'invalid-credentials',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'no-password',
  USER_ALREADY_EXISTS: 'account-exists',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'account-exists',
  EMAIL_NOT_VERIFIED: 'email-not-verified',
  PASSWORD_TOO_SHORT: 'password-too-short',
  PASSWORD_TOO_LONG: 'password-too-long',
}

/** Turns an error answer of the library into the catalog's error; texts of the library are logged, never sent. */
export async function toLibraryError(response: Response): Promise<AppError> {
  const text = await response.text()
  const parsed = bodySchema.safeParse(jsonOf(text))
  const code = parsed.success ? parsed.data.code : undefined
  const known = code === undefined ? undefined : codes[code]
  if (known) return new AppError(known, { cause: code })
  if (code === 'INVALID_EMAIL') {
    return new AppError('invalid-input', { errors: [{ path: 'email', message: 'This is not an e-mail address.' }] })
  }
  return new AppError(statusCode(response.status), { cause: text })
}

function statusCode(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not-found'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'internal' : 'invalid-request'
}
