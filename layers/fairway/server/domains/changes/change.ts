// What a person is told of a write. The rule: of what somebody else has written a person hears only what they may read at this
// moment, or what the whole organization could read when it was written (a deleted row), or what every member sees on the team page.
// Of everything else they hear nothing, not even that something was written.
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
import type { Change } from '#fairway/shared/schemas/change'
import type { Session } from '#fairway/shared/schemas/session'

/** What the build has found: which actions write which tables, and which collections read them. */
export interface Declared {
  actions: readonly { name: string; action: Action }[]
  collections: Parameters<typeof collectionsOver>[0]
}

/** Whether a write was made where the person works, or by themselves: nobody else is asked about. */
export const concerns = ({ orgId, userId }: AuditWrite, session: Session): boolean =>
  userId === session.userId || (orgId !== null && orgId === session.orgId)

/** What a person is told of a write; null where that is nothing. */
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
    return isOwn || OF_EVERY_MEMBER.includes(action) ? { action, collections: [], id: null } : null
  const subjects = app.memo('change-subjects', () => subjectsOf(declared.actions))
  const mayKnow = isOwn || write.isOpen === 1 || (await maySeeSubject(app, session, subjects, { type, id }))
  const collections = await collectionsOf(app, declared, { type, id, session, mayKnow })
  return mayKnow || collections.length > 0 ? { action, collections, id } : null
}

interface Written {
  type: string
  id: string
  session: Session
  mayKnow: boolean
}

/** The collections that may have other rows for this person; where they may not know of the row, those alone that show it to them all the same. */
async function collectionsOf(app: App, declared: Declared, { type, id, session, mayKnow }: Written): Promise<string[]> {
  const found: string[] = []
  for (const { name, collection } of collectionsOver(declared.collections, type)) {
    if (!mayKnow && collection.tables[0] !== type) continue
    const ask = { name, session, id: mayKnow ? undefined : id, requestId: id }
    if (await mayReadItem(app, declared.collections, ask)) found.push(name)
  }
  return found
}
