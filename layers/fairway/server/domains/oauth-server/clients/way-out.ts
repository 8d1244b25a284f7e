import type { App } from '#fairway/server/kernel/app-context'
import { GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import type { OAuthError } from '../oauth-error'
import { endDocumentOutage, noteDocumentOutage } from './document-outage'
import { WithheldDocument } from './metadata-document'

/** A host that is not reached so soon after another one answered is at fault itself. */
const SHOWN_FOR_IN_MS = 10 * 60 * 1000
const ADVICE = {
  auto: 'Connect the app again in a few minutes: it can then register itself. Whoever runs this server can set FW_CLIENT_DOCUMENTS=off so that apps always do.',
  on: 'Whoever runs this server can set FW_CLIENT_DOCUMENTS to auto or off so that apps register themselves.',
}

const WITHHELD =
  'Try again later. If that does not help, whoever runs this server can set FW_CLIENT_DOCUMENTS=off so that apps register themselves.'

interface Judgement {
  /** Whether the document could not be had, so that nothing is known about it. */
  isAway: boolean
  /** What may be shown to the person. */
  description: string
}

/** What the fetches of this instance tell about its way out to strangers' servers; all instances learn of it. */
export function createWayOut(app: App) {
  const lastAnswer = { at: -Infinity }

  /** To be called when somebody was reached, whatever came of it. */
  async function reached(): Promise<void> {
    lastAnswer.at = app.now().getTime()
    await endDocumentOutage(app)
  }

  /** Whether a document that was refused is at fault, or the way to it. */
  async function judge({ cause, description }: OAuthError, host: string): Promise<Judgement> {
    if (!(cause instanceof GuardedFetchError)) {
      await reached()
      const isAway = cause instanceof WithheldDocument
      return { isAway, description: isAway ? `${description} ${WITHHELD}` : description }
    }
    const { outage } = cause
    const isAway = outage !== null
    if (!outage || app.now().getTime() - lastAnswer.at <= SHOWN_FOR_IN_MS) return { isAway, description }
    await noteDocumentOutage(app, outage, host)
    const advice = ADVICE[app.config.oauth.clientDocuments === 'on' ? 'on' : 'auto']
    return { isAway, description: `${description} This server seems to have no way out to it. ${advice}` }
  }

  return { reached, judge }
}
