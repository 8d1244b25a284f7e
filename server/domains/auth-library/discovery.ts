import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'

const LIMIT_IN_MS = 5000

/** Where an OpenID Connect issuer describes itself (OpenID Connect Discovery 1.0 §4). */
export const discoveryUrlOf = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Throws `unavailable` when the issuer does not describe itself within five seconds. */
export async function checkIssuer(app: App, issuer: string): Promise<void> {
  try {
    const answer = await app.fetch(discoveryUrlOf(issuer), {
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_IN_MS),
    })
    if (!answer.ok) throw new Error(`the issuer answered ${answer.status}`)
    await answer.body?.cancel()
  } catch (cause) {
    throw new AppError('unavailable', { cause })
  }
}
