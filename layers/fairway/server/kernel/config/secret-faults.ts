import type { Env } from './env'

const MIN_SECRET_LENGTH = 32
const EXAMPLE_SECRET = /replace[-_ ]?me|change[-_ ]?me|example|your[-_ ]?secret|^secret|better-auth-secret|^(.)\1+$/i

/** What is wrong with the secrets of an environment; names them, never their values. */
export function secretFaults(env: Env): string[] {
  const named = [
    ...(env.BETTER_AUTH_SECRET ? [['BETTER_AUTH_SECRET', env.BETTER_AUTH_SECRET] as const] : []),
    ...(env.BETTER_AUTH_SECRET_PREVIOUS ?? []).map(secret => ['BETTER_AUTH_SECRET_PREVIOUS', secret] as const),
    ...(env.A2A_SECRET ? [['A2A_SECRET', env.A2A_SECRET] as const] : []),
    ...(env.A2A_SECRET_PREVIOUS ?? []).map(secret => ['A2A_SECRET_PREVIOUS', secret] as const),
  ]
  return named.flatMap(([name, secret]) => {
    if (secret.length < MIN_SECRET_LENGTH) return [`${name}: shorter than ${MIN_SECRET_LENGTH} characters`]
    if (EXAMPLE_SECRET.test(secret)) return [`${name}: is an example value`]
    return []
  })
}
