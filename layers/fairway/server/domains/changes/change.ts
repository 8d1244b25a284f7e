// Which changes a person receives. The rule for writes of other people: a person receives a change only when they may read the
// row now, the whole organization could read it when it was written (a deleted row), or every member sees it on the team page.
// They receive no other changes, not even the fact that something was written.
import {
  type Action,
  type AuditWrite,
  maySeeSubject,
  OF_EVERY_MEMBER,
  subjectsOf,
} from '#fairway/server/domains/actions'
import { collectionsOver, mayReadItem } from '#fairway/server/domains/collections'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import { mayInOrg } from '#fairway/shared/roles'
import type { Change } from '#fairway/shared/schemas/change'
import type { Session } from '#fairway/shared/schemas/session'

/** What the build collects: which actions write which tables, and which collections read them. */
export interface Declared {
  actions: readonly { name: string; action: Action }[]
  collections: Parameters<typeof collectionsOver>[0]
}

/**
 * Whether the write belongs to the person's active organization or was made by the person. All other writes are skipped without a
 * permission check.
 */
export const concerns = ({ orgId, userId }: AuditWrite, session: Session): boolean =>
  userId === session.userId || (orgId !== null && orgId === session.orgId)

/** The change that a person receives for a write; null when they may not know of it. */
export const changeFor = (
  app: App,
  declared: Declared,
  session: Session,
  write: AuditWrite,
): Promise<Omit<Change, 'ageInMs'> | null> => withRun({ app, session }, () => tell(app, declared, session, write))

async function tell(app: App, declared: Declared, session: Session, write: AuditWrite) {
  if (!concerns(write, session)) return null
  const { action, subjectType: type, subjectId: id } = write
  const isOwn = write.userId === session.userId
  if (type === null || id === null)
    return isOwn || isForOthers(write, session) ? { action, collections: [], id: null } : null
  // A person's own writes in another organization name no row: that organization may be closed to this session.
  if (write.orgId !== null && write.orgId !== session.orgId) return null
  const subjects = app.memo('change-subjects', () => subjectsOf(declared.actions))
  const mayKnow = isOwn || write.isOpen === 1 || (await maySeeSubject(app, session, subjects, { type, id }))
  const collections = await collectionsOf(app, declared, { type, id, session, mayKnow })
  return mayKnow || collections.length > 0 ? { action, collections, id } : null
}

/** Whether a write that names no row is told to every member, or asks an owner or admin of the active organization for approval. */
const isForOthers = ({ action, orgId }: AuditWrite, session: Session): boolean =>
  OF_EVERY_MEMBER.includes(action) ||
  (action === 'request-admin-approval' && orgId === session.orgId && mayInOrg(session.orgRole, 'revoke-grant'))

interface Written {
  type: string
  id: string
  session: Session
  mayKnow: boolean
}

/**
 * The collections whose rows may have changed for this person. When the person may not know of the row, only the collections that
 * show it to them count.
 */
async function collectionsOf(app: App, declared: Declared, { type, id, session, mayKnow }: Written): Promise<string[]> {
  const names: string[] = []
  for (const { name, collection } of collectionsOver(declared.collections, type)) {
    if (!mayKnow && collection.tables[0] !== type) continue
    const ask = { name, session, id: mayKnow ? undefined : id, requestId: id }
    if (await mayReadItem(app, declared.collections, ask)) names.push(name)
  }
  return names
}
