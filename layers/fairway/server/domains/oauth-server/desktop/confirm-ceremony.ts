import type { App } from '#fairway/server/kernel/app-context'
import { messagesOf } from '#fairway/server/kernel/messages'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { CeremonyAnswer, CeremonyVisit } from './ceremony-answer'
import { findCeremony, stillOpenSql } from './ceremony-row'
import { ceremonyPath, completionPath } from './ceremony-urls'
import { openCeremony, requirePerson } from './open-ceremony'

const texts = messagesOf('en').desktopSignIn

/** Carries out what a person decided in the window: confirms for them, once, or says that they are to be signed out first. */
export async function decideCeremony(
  app: App,
  visit: CeremonyVisit,
  form: Record<string, string>,
): Promise<CeremonyAnswer | 'sign-out'> {
  const opened = await openCeremony(app, visit)
  if (!('bindingHash' in opened)) return opened
  if (form.decision === 'other') return 'sign-out'
  if (form.decision !== 'continue') {
    throw new AppError('invalid-request', { detail: 'The decision is continue or other.' })
  }
  const person = await requirePerson(app, visit)
  if (!('userId' in person)) return person
  // The page named somebody who is signed in no more; whoever is now has not been asked.
  if (form.account !== person.userId) return { location: ceremonyPath(visit.id, visit.nonce) }
  const isFirst = await confirmCeremony(app, visit.id, person.userId)
  return isFirst ? { location: completionPath(visit.nonce) } : confirmedAnswer(app, visit, person.userId)
}

/** Confirms an open ceremony for somebody: of any number of calls at once, one gets true. */
async function confirmCeremony(app: App, id: string, userId: string): Promise<boolean> {
  const now = app.now().getTime()
  const { rowsAffected } = await app.db.client.execute({
    sql: `update desktop_ceremonies set user_id = ?, confirmed_at = ?
      where id = ? and user_id is null and confirmed_at is null and ${stillOpenSql}`,
    args: [userId, now, id, now],
  })
  return rowsAffected === 1
}

async function confirmedAnswer(app: App, { id, nonce }: CeremonyVisit, userId: string): Promise<CeremonyAnswer> {
  const ceremony = await findCeremony(app, id)
  const isTheirs = ceremony?.userId === userId
  const page = await notePage(app, {
    title: texts.confirmedTitle,
    lead: texts.confirmedLead,
    ...(isTheirs ? { link: { href: completionPath(nonce), text: texts.confirmedLink } } : {}),
  })
  return { page, status: 409 }
}
