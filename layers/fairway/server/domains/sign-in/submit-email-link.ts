import type { z } from 'zod'
import { type EmailLink, findEmailLink, returnPathFor } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { SIGN_IN_PATH } from '#fairway/shared/paths'
import { confirmEmailLink, type ConfirmedLink, type confirmLinkSchema } from './confirm-email-link'
import { CODE_STEP } from './second-factor-page'
import { emailLinkPage, endedLinkPage, goOnElsewherePage } from './email-link-page'
import type { Language } from './sign-in-texts'
import type { Visitor } from './visitor'

interface ShownPage {
  page: ServerPage
  error?: AppError
}

/** The page for a mailed link: what its button will do, or why the link no longer works. */
export async function linkPage(app: App, token: string, visitor: Visitor, language: Language): Promise<ShownPage> {
  try {
    const link = await findEmailLink(app, token, visitor.cookieHeader)
    return { page: await emailLinkPage(app, { link, token }) }
  } catch (error) {
    return { page: await endedLinkPage(app, refusal(error), language), error: refusal(error) }
  }
}

/** What pressing the button of a mailed link leads to: a signed-in browser, or a page. */
export async function confirmLinkPage(
  app: App,
  input: z.output<typeof confirmLinkSchema>,
  visitor: Visitor,
): Promise<ShownPage & { confirmed?: ConfirmedLink }> {
  let link: EmailLink
  try {
    link = await findEmailLink(app, input.token, visitor.cookieHeader)
  } catch (error) {
    return { page: await endedLinkPage(app, refusal(error), 'en'), error: refusal(error) }
  }
  try {
    const confirmed = await confirmEmailLink(app, link, input, visitor)
    return { confirmed, page: await goOnElsewherePage(app, link) }
  } catch (thrown) {
    const error = refusal(thrown)
    const secondFactor = error.code === 'second-factor-required' && error.headers['set-cookie']
    if (secondFactor) {
      const query = new URLSearchParams({ step: CODE_STEP, return: returnPathFor(link) })
      const confirmed = { setCookies: [secondFactor], location: `${SIGN_IN_PATH}?${query}` }
      return { confirmed, page: await goOnElsewherePage(app, link) }
    }
    const page = isEnded(error)
      ? endedLinkPage(app, error, 'en')
      : emailLinkPage(app, { link, token: input.token, error })
    return { page: await page, error }
  }
}

const isEnded = ({ code }: AppError): boolean => code.startsWith('link-')

// What is not a refusal of ours stays what it is: the error page with the request's id.
function refusal(error: unknown): AppError {
  if (error instanceof AppError && error.status < 500) return error
  throw error
}
