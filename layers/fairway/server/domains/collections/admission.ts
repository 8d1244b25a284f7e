// Decides who may read a collection: people with a session, unless it is public, whom its guard admits.
import type { H3Event } from 'h3'
import { checkGuard, checkOrgOpens } from '#fairway/server/domains/organizations'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { Collection } from './collection'
import type { ServedCollection } from './served-collection'

/**
 * Returns the session of the request. Throws `unauthenticated` without one and `provider-required`, both unless the collection is
 * public, and `forbidden` when its guard denies.
 */
export async function admitted(
  event: H3Event,
  { collection }: ServedCollection,
  tokenSession?: Session,
): Promise<Session | null> {
  const session = tokenSession ?? (await getSession(event))
  getApp(event).trace?.step(getRequestId(event), 'guard', collection.guard ? collection.guard.name : 'none')
  if (!session && !collection.public) throw new AppError('unauthenticated')
  if (!collection.public) checkOrgOpens(session)
  if (collection.guard) await checkGuard(collection.guard, { session, orgId: session?.orgId ?? null })
  return session
}

/** Whether the guard admits this session; false when it throws. */
export async function isAdmitted({ guard }: Collection, session: Session): Promise<boolean> {
  if (!guard) return true
  return checkGuard(guard, { session, orgId: session.orgId }).then(
    () => true,
    () => false,
  )
}
