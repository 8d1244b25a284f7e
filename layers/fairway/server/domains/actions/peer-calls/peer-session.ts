import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { actAs } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'

/**
 * The person of a call of another application: the one with this confirmed address, in the organization they work in, or this
 * person in the organization that a question was asked in. Null when they are not there, have left it or open nothing here. Throws
 * `provider-required` when that organization asks for a provider: a call of another application is no sign-in.
 */
export async function findCalledPerson(
  app: App,
  who: { email: string } | { userId: string; orgId: string | null },
): Promise<Session | null> {
  const proof = { provider: 'a2a', ...('orgId' in who ? { orgId: who.orgId } : {}) }
  const acting = await actAs(app, { ...who, mustBeConfirmed: true }, proof)
  if ('refusal' in acting) return null
  checkOrgOpens(acting.session)
  return acting.session
}
