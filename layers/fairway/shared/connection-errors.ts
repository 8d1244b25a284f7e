import type { ErrorCode } from './errors'

/** What a way to a provider may come back with. */
export const CONNECTION_ERRORS = [
  'connection-cancelled',
  'connection-failed',
  'connection-state-invalid',
  'connection-code-invalid',
  'connection-verifier-refused',
  'connection-client-refused',
  'connection-redirect-refused',
  'connection-answer-invalid',
  'connection-unavailable',
  'connection-account-refused',
] as const satisfies readonly ErrorCode[]

/** The code when it is one of these. */
export const toConnectionError = (value: unknown) => CONNECTION_ERRORS.find(code => code === value)
