import type { App } from '#fairway/server/kernel/app-context'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { Session } from '#fairway/shared/schemas/session'

const texts = messagesOf('en').desktopSignIn

/** What the pages of a ceremony answer: a page, or an address of this hub to go to. */
export type CeremonyAnswer = { page: ServerPage; status: number } | { location: string }

/** One visit of such a page. */
export interface CeremonyVisit {
  id: string
  nonce: string
  session: Session | null
  cookieHeader: string | undefined
  clientAddress: string
  requestId: string
}

/** For a ceremony that opens nothing any more. */
export const endedAnswer = async (app: App): Promise<CeremonyAnswer> => ({
  page: await notePage(app, { title: texts.endedTitle, lead: texts.endedLead, code: 'ceremony-ended' }),
  status: 410,
})

/** For whoever opens what another window began. */
export const beginAgainAnswer = async (app: App): Promise<CeremonyAnswer> => ({
  page: await notePage(app, { title: texts.againTitle, lead: texts.againLead }),
  status: 403,
})
