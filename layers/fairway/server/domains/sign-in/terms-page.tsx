/** @jsxImportSource vue */
// The page that asks a signed-in person to accept the terms, and the handler of its form.
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
  /** The destination after the decision. */
  returnPath: string
  language: Language
}

/** The terms page. Redirects to the destination when there is nothing to accept, and to sign-in without a session. */
export async function showTerms(event: H3Event, { returnPath, language }: TermsVisit): Promise<BrowserAnswer> {
  const session = await getSession(event)
  if (!session) return { location: signInPathFor({ returnPath }) }
  return session.termsDue ? { page: await termsPage(getApp(event), language) } : { location: returnPath }
}

/**
 * Accepts the version that the page showed, or signs out. Throws `unauthenticated`, and `invalid-request` for another version.
 */
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
  // A newer version may have been published while the page was open. Only the shown version can be accepted.
  if (!terms || form.version !== terms.version)
    return { location: `${TERMS_PATH}?${new URLSearchParams({ return: returnPath })}` }
  if (form.accepts !== 'yes') throw new AppError('invalid-request', { detail: 'The terms were not accepted.' })
  await acceptTerms(app, session.userId, terms.version)
  return { location: returnPath }
}

function termsPage(app: App, language: Language): Promise<ServerPage> {
  const texts = messagesOf(language).signIn.legal
  const { terms } = app.config.legal
  const children = [
    <LegalLinks app={app} language={language} />,
    <form method="post">
      <input type="hidden" name="version" value={terms?.version} />
      <label class="check">
        <input type="checkbox" name="accepts" value="yes" required />
        <span>{texts.accept}</span>
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

interface LegalProps {
  app: App
  language: Language
}

/** The checkbox, with links, for new people in a form that opens an account. Empty when the application declares no terms. */
export function AcceptTerms({ app, language }: LegalProps) {
  const texts = messagesOf(language).signIn.legal
  const { terms, privacy } = app.config.legal
  return (
    <>
      {terms ? (
        <label class="check">
          <input type="checkbox" name="termsVersion" value={terms.version} required />
          <span>{privacy ? texts.acceptBoth : texts.accept}</span>
        </label>
      ) : null}
      <LegalLinks app={app} language={language} />
    </>
  )
}

// The links open in another tab, so the form keeps its input.
function LegalLinks({ app, language }: LegalProps) {
  const texts = messagesOf(language).signIn.legal
  const { terms, privacy } = app.config.legal
  const links = [
    [terms?.url, texts.terms],
    [privacy?.url, texts.privacy],
  ].filter(([url]) => url !== undefined)
  if (links.length === 0) return null
  return (
    <p class="foot links">
      {links.map(([url, text]) => (
        <a href={url} target="_blank" rel="noopener" key={url}>
          {text}
        </a>
      ))}
    </p>
  )
}
