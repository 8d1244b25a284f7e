/** @jsxImportSource vue */
// Changes the address of an account: the request, the two mails, and the page behind their links.
import { z } from 'zod'
import {
  type AddressChange,
  type AddressLink,
  askForAddress,
  confirmAddress,
  requestInWords,
  findAddressChange,
  findAddressLink,
  findPerson,
  isLocalIdentity,
  issueAddressLink,
  tellAddressChange,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import { signsIn } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { fill, languageOf, messagesOf } from '#fairway/server/kernel/messages'
import { cardPage, notePage, oneClickScript } from '#fairway/server/kernel/server-page/note-page'
import { type BrowserAnswer, explained } from '#fairway/server/kernel/server-page/send-answer'
import type { Language } from '#fairway/shared/languages'
import { PROFILE_PAGE, SIGN_IN_PATH } from '#fairway/shared/paths'
import type { PendingAddress } from '#fairway/shared/schemas/account'
import { emailSchema } from '#fairway/shared/schemas/email'
import { limits } from '../../../kernel/limits/limits'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { mailContent } from '../../../kernel/mail/mail-content'
import { queueMail } from '../../../kernel/mail/queue-mail'
import { errorText } from '../page-parts'

export const addressInput = {
  ask: z.object({
    email: emailSchema,
    /** Required when the sign-in is older than 15 minutes. */
    password: z.string().max(1024).optional(),
    /** The language of the page; the mails use it. */
    language: z.string().max(35).optional(),
  }),
  resend: z.object({ language: z.string().max(35).optional() }),
  confirm: z.object({ token: z.string().min(1).max(200) }),
}

interface Asker {
  userId: string
  email: string
  /** Whether this sign-in belongs to the owner of the address (`Session.emailVerified`). */
  emailVerified: boolean
  sessionId: string | null
}

const toPending = ({ newEmail, oldConfirmed, newConfirmed, createdAt, expiresAt }: AddressChange): PendingAddress => ({
  email: newEmail,
  oldConfirmed,
  newConfirmed,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})

/** The pending change of a person, and the code of the refusal when they cannot request one. */
export async function addressState(app: App, asker: Pick<Asker, 'userId' | 'emailVerified'>) {
  const change = await findAddressChange(app, asker.userId)
  return { change: change && toPending(change), refusal: (await refusalFor(app, asker))?.code ?? null }
}

/** Why this account cannot change its address: not a person's own, sign-in elsewhere, unconfirmed, or no mail can be sent. */
async function refusalFor(
  app: App,
  { userId, emailVerified }: Pick<Asker, 'userId' | 'emailVerified'>,
): Promise<AppError | undefined> {
  const person = await findPerson(app, { userId })
  if (!signsIn(app.config)) return new AppError('sign-in-elsewhere')
  if (!person || isLocalIdentity(person)) return new AppError('not-a-real-account')
  if (!app.mailer.isReady) return new AppError('mail-unavailable')
  if (!emailVerified) return new AppError('email-not-verified')
  return undefined
}

/**
 * Requests a new address: both addresses get a link, and it changes once both are confirmed. The response is the same whether
 * or not the new address has an account; the owner of that account gets a mail. Throws `sign-in-elsewhere`,
 * `not-a-real-account`, `mail-unavailable`, `email-not-verified`, `invalid-input` and `rate-limited`.
 */
export async function askForNewAddress(
  app: App,
  asker: Asker,
  { email: newEmail, language }: { email: string; language?: string },
  request: RequestInfo,
): Promise<PendingAddress> {
  const refusal = await refusalFor(app, asker)
  if (refusal) throw refusal
  if (newEmail === asker.email || newEmail === DEV_EMAIL || newEmail === LEGACY_LOCAL_EMAIL) {
    throw new AppError('invalid-input', { errors: [{ path: 'email', message: 'Choose another address.' }] })
  }
  await countChange(app, asker.userId, newEmail, request)
  await askForAddress(app, { ...asker, oldEmail: asker.email, newEmail })
  return mailLinks(app, asker.userId, languageOf(language), request)
}

/** Resends the links of the pending change to the addresses that are not confirmed yet. Throws `not-found` and `rate-limited`. */
export async function mailAddressLinksAgain(
  app: App,
  userId: string,
  language: string | undefined,
  request: RequestInfo,
): Promise<PendingAddress> {
  const change = await findAddressChange(app, userId)
  if (!change) throw new AppError('not-found')
  await countChange(app, userId, change.newEmail, request)
  return mailLinks(app, userId, languageOf(language), request)
}

/**
 * Counts a request by account, network and recipient. Runs before the recipient is looked up, so that the response does not
 * reveal the result. Throws `rate-limited`.
 */
async function countChange(app: App, userId: string, recipient: string, request: RequestInfo): Promise<void> {
  await rateLimit(app, limits.addressChangesPerAccount, userId)
  await rateLimit(app, limits.mailsPerAddress, addressKey(request.clientAddress))
  await rateLimit(app, limits.addressChangesPerRecipient, recipient)
}

async function mailLinks(app: App, userId: string, language: Language, request: RequestInfo): Promise<PendingAddress> {
  const change = await findAddressChange(app, userId)
  if (!change) throw new AppError('not-found')
  const { oldEmail, newEmail, oldConfirmed, newConfirmed } = change
  const occasion = await requestInWords(app, request, { email: oldEmail, language })
  if (!oldConfirmed) {
    const href = await issueAddressLink(app, change, 'old', language)
    const values = { ...occasion, email: newEmail }
    await queueMail(app, oldEmail, mailContent(app, 'address-change-old', { values, href, language }))
  }
  if (!newConfirmed) {
    // The link is created for a taken address too, but not mailed: the response time must not reveal whether it is taken.
    const href = await issueAddressLink(app, change, 'new', language)
    // An account with an unconfirmed address does not own that address.
    const mail = (await findPerson(app, { email: newEmail }))?.emailVerified
      ? mailContent(app, 'address-change-taken', {
          values: occasion,
          href: new URL(SIGN_IN_PATH, app.config.baseUrl).href,
          language,
        })
      : mailContent(app, 'address-change-new', { values: { ...occasion, email: oldEmail }, href, language })
    await queueMail(app, newEmail, mail)
  }
  return toPending(change)
}

/** The page behind a mailed link: what its button will do, or why the link no longer works. Changes nothing. */
export async function showAddressLink(app: App, token: string, wanted: Language): Promise<BrowserAnswer> {
  try {
    const link = await findAddressLink(app, token)
    return { page: await linkPage(app, link, token) }
  } catch (thrown) {
    return refusedPage(app, thrown, wanted)
  }
}

/** Handles the button of a mailed link and returns a page that says whether the address has changed. */
export async function submitAddressLink(
  app: App,
  token: string,
  wanted: Language,
  requestId: string,
): Promise<BrowserAnswer> {
  try {
    const link = await findAddressLink(app, token)
    const isChanged = await confirmAddress(app, link)
    const told = { ...link, language: languageOf(link.language), requestId, reason: 'confirmed by both addresses' }
    if (isChanged) await tellAddressChange(app, told)
    return { page: await confirmedPage(app, link, isChanged) }
  } catch (thrown) {
    return refusedPage(app, thrown, wanted)
  }
}

function linkPage(app: App, link: AddressLink, token: string) {
  const language = languageOf(link.language)
  const texts = messagesOf(language).addressLink
  const { oldEmail, newEmail } = link
  const form = (
    <form method="post">
      <input type="hidden" name="token" value={token} />
      <button>{texts[link.side].button}</button>
      <p class="foot">{texts.ignore}</p>
    </form>
  )
  return cardPage(app, {
    page: 'email-link',
    title: texts[link.side].title,
    lead: fill(texts[link.side].lead, { oldEmail, newEmail }),
    children: [form],
    script: oneClickScript,
    language,
  })
}

function confirmedPage(app: App, link: AddressLink, isChanged: boolean) {
  const language = languageOf(link.language)
  const texts = messagesOf(language).addressLink
  const { title, lead } = isChanged ? texts.changed : texts.waiting
  const other = link.side === 'old' ? link.newEmail : link.oldEmail
  return notePage(app, {
    title,
    lead: fill(lead, { newEmail: link.newEmail, other }),
    link: { href: PROFILE_PAGE, text: texts.goOn },
    language,
  })
}

// Other errors are rethrown and show the error page with the request's id.
async function refusedPage(app: App, thrown: unknown, language: Language): Promise<BrowserAnswer> {
  if (!(thrown instanceof AppError) || thrown.status >= 500) throw thrown
  const texts = messagesOf(language).addressLink
  const page = await notePage(app, {
    title: texts.endedTitle,
    lead: errorText(thrown, language),
    detail: texts.nothingChanged,
    link: { href: PROFILE_PAGE, text: texts.goOn },
    code: thrown.code,
    language,
  })
  return explained(page, thrown)
}
