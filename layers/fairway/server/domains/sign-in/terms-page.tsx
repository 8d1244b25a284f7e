/** @jsxImportSource vue */
// The page that asks a signed-in person to accept the terms, and what its form does.
import type { H3Event } from 'h3'
import { acceptTerms } from '#fairway/server/domains/people'
import { endSession, getSession } from '#fairway/server/domains/sessions'
import { getApp, type App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { cardPage, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { BrowserAnswer } from '#fairway/server/kernel/server-page/send-answer'
import { SIGN_IN_PATH, TERMS_PATH } from '#fairway/shared/paths'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { Language } from '#fairway/shared/languages'

interface TermsVisit {
  /** Where to go on afterwards. */
  returnPath: string
  language: Language
}

/** The page that asks; the way on where nothing is to be accepted, and the sign-in page without a session. */
export async function showTerms(event: H3Event, { returnPath, language }: TermsVisit): Promise<BrowserAnswer> {
  const session = await getSession(event)
  if (!session) return { location: signInPathFor({ returnPath }) }
  return session.termsDue ? { page: await termsPage(getApp(event), language) } : { location: returnPath }
}

/** Accepts the version that the page has shown, or signs out. Throws `unauthenticated`, and `invalid-request` for another version. */
export async function decideTerms(
  event: H3Event,
  { returnPath }: TermsVisit,
  form: Record<string, string>,
): Promise<BrowserAnswer> {
  if (form.decision === 'sign-out') {
    await endSession(event)
    return { location: SIGN_IN_PATH }
  }
  const session = await getSession(event)
  if (!session) throw new AppError('unauthenticated')
  const app = getApp(event)
  const { terms } = app.config.legal
  // A newer version may have come while the page was open: what was not shown is not accepted.
  if (!terms || form.version !== terms.version)
    return { location: `${TERMS_PATH}?${new URLSearchParams({ return: returnPath })}` }
  if (form.accepts !== 'yes') throw new AppError('invalid-request', { detail: 'The terms were not accepted.' })
  await acceptTerms(app, session.userId, terms.version)
  return { location: returnPath }
}

function termsPage(app: App, language: Language): Promise<ServerPage> {
  const texts = messagesOf(language).signIn.legal
  const { terms, privacy } = app.config.legal
  const children = [
    <p class="foot links">
      <a href={terms?.url} target="_blank" rel="noopener">
        {texts.terms}
      </a>
      {privacy ? (
        <a href={privacy.url} target="_blank" rel="noopener">
          {texts.privacy}
        </a>
      ) : null}
    </p>,
    <form method="post">
      <input type="hidden" name="version" value={terms?.version} />
      <label>
        <input type="checkbox" name="accepts" value="yes" required /> {texts.accept}
      </label>
      <button name="decision" value="accept">
        {texts.continue}
      </button>
    </form>,
    <form method="post">
      <button name="decision" value="sign-out" class="quiet">
        {texts.signOut}
      </button>
    </form>,
  ]
  return cardPage(app, {
    page: 'note',
    title: texts.title,
    lead: fill(texts.lead, { product: app.config.name, version: terms?.version ?? '' }),
    children,
    script: oneClickScript,
    language,
  })
}

/** What stands under the sign-up form: that the terms will be asked for, and links to what can be read. */
export function LegalLinks({ app, language }: { app: App; language: Language }) {
  const texts = messagesOf(language).signIn.legal
  const { terms, privacy } = app.config.legal
  if (!terms && !privacy) return null
  return (
    <>
      {terms ? <p class="hint">{texts.statement}</p> : null}
      <p class="foot links">
        {terms ? <a href={terms.url}>{texts.terms}</a> : null}
        {privacy ? <a href={privacy.url}>{texts.privacy}</a> : null}
      </p>
    </>
  )
}
