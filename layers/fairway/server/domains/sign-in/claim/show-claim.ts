import type { App } from '#fairway/server/kernel/app-context'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { claimPathFor } from '#fairway/shared/claim-path'
import type { Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { readClaimContents } from './claim-contents'
import { claimPage } from './claim-page'
import type { Language } from '../sign-in-texts'
import { claimTexts } from './claim-texts'
import type { Claimant } from './only-me'

/** One visit of the page on which the owner of an address says whose the account is. */
export interface ClaimVisit {
  session: Session | null
  sessionId: string | null
  /** Where to go on afterwards. */
  returnPath: string
  language: Language
}

export type ClaimAnswer = { page: ServerPage; status: number } | { location: string }

/** The page with the question; the way on where nothing is to be asked, and no word of the account for a session that has not proved the address. */
export async function showClaim(app: App, visit: ClaimVisit): Promise<ClaimAnswer> {
  const found = await findOpenClaim(app, visit)
  if (!('claimant' in found)) return found
  const { claimant, session } = found
  const contents = await readClaimContents(app, claimant)
  return { page: await claimPage(app, { ...visit, email: session.email, contents }), status: 200 }
}

/** Who may answer the question that is open, or what to show and where to go instead. */
export async function findOpenClaim(
  app: App,
  visit: ClaimVisit,
): Promise<ClaimAnswer | { claimant: Claimant; session: Session }> {
  const { session, sessionId, returnPath } = visit
  if (!session) return { location: signInPathFor({ returnPath: claimPathFor(returnPath) }) }
  const { userId, email } = session
  if (session.mayClaim) return { claimant: { userId, email, sessionId }, session }
  const { rows } = await app.db.client.execute({
    sql: 'select 1 from users where id = ? and claim_since is not null',
    args: [userId],
  })
  return rows.length > 0 ? refusedPage(app, session, visit) : { location: returnPath }
}

async function refusedPage(app: App, { email }: Session, { returnPath, language }: ClaimVisit): Promise<ClaimAnswer> {
  const texts = claimTexts[language]
  const href = signInPathFor({ returnPath: claimPathFor(returnPath), again: true })
  const page = await notePage(app, {
    title: texts.refusedTitle,
    lead: texts.refusedLead(email),
    link: { href, text: texts.signIn },
    code: 'claim-needs-proof',
    language,
  })
  return { page, status: 403 }
}
