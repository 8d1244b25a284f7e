import type { GenericEndpointContext } from 'better-auth'

/** The library signs in by password only; other ways make their sessions by `mintSession`. */
const PROVIDER = 'password'

/** How a new session of the library was proved: one that takes another's place (a changed password) as that one was, or its organization would close. */
export function providerOf(session: { userId: string }, context: GenericEndpointContext | null): string {
  const before = context?.context.session
  const provider: unknown = before?.user.id === session.userId ? before.session.provider : undefined
  return typeof provider === 'string' ? provider : PROVIDER
}
