import type { App } from '#fairway/server/kernel/app-context'
import { type CeremonyAnswer, type CeremonyVisit, endedAnswer } from './ceremony-answer'
import { ceremonyPage } from './ceremony-page'
import { completionPath } from './ceremony-urls'
import { openCeremony, requirePerson } from './open-ceremony'

/** What the window of a desktop application shows: the page to confirm, the way to the sign-in page, or why not. It changes nothing. */
export async function showCeremony(app: App, visit: CeremonyVisit): Promise<CeremonyAnswer> {
  const opened = await openCeremony(app, visit)
  if (!('bindingHash' in opened)) return opened
  const person = await requirePerson(app, visit)
  if (!('userId' in person)) return person
  if (opened.userId === null) return { page: await ceremonyPage(app, person), status: 200 }
  return opened.userId === person.userId ? { location: completionPath(visit.nonce) } : endedAnswer(app)
}
