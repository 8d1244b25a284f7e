/** `#fw`: everything that an application author may use on the server. */
export { defineAction } from './domains/actions'
export type { ActionContext } from './domains/actions'
export { getSession, requireSession } from './domains/sessions'
export { defineFwConfig } from './foundation/config/fw-config'
export { newId } from './foundation/crypto/random'
export { preparedQuery } from './foundation/database/prepared-query'
export { AppError } from './foundation/http/app-error'
export type { Session } from '#shared/schemas/session'
