// Mailed links: creating them, reading them, using them once, and the browser that waits until a link is opened.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomDigits, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import {
  endOneTimeStatement,
  issueOneTime,
  type OneTime,
  type OneTimePurpose,
  peekOneTime,
  peekOneTimeOfBrowser,
  spendOneTime,
  spendStatement,
  tryOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import { DEVICE_PATH, EMAIL_LINK_PATH, OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'

const payloadSchema = z.object({
  /** The destination after the sign-in. */
  returnPath: z.string(),
  language: z.string().optional(),
  /** Where the link was requested, shown to the person who decides. */
  userAgent: z.string(),
  clientAddress: z.string(),
  /** The values of the account that this link confirms. */
  name: z.string().optional(),
  passwordHash: z.string().optional(),
  /** The version of the terms accepted in the form. */
  termsVersion: z.string().optional(),
  /** SHA-256 of the code in the mail and the requesting browser's secret, without which nobody can try codes. */
  codeHash: z.string().optional(),
})

type EmailLinkPayload = z.output<typeof payloadSchema>

const MINUTE_IN_SECONDS = 60

const linkPurpose = (name: StoredPurpose, minutes: number): OneTimePurpose<EmailLinkPayload> => ({
  name,
  lifeInSeconds: minutes * MINUTE_IN_SECONDS,
  payload: payloadSchema,
  mostPerSubject: 3,
})

export type EmailLinkPurpose = 'magic-link' | 'verification' | 'password-reset'

const KNOWN = '-known'

/** The name of a link in the table. Links of known browsers have their own, so that strangers' requests do not end them. */
type StoredPurpose = EmailLinkPurpose | `${EmailLinkPurpose}${typeof KNOWN}`

const storedAs = ({ purpose, isKnown }: Pick<EmailLink, 'purpose' | 'isKnown'>): StoredPurpose =>
  isKnown ? `${purpose}${KNOWN}` : purpose

/** The mailed links by purpose. Their subject is the address. */
const purposes: Record<StoredPurpose, OneTimePurpose<EmailLinkPayload>> = {
  'magic-link': linkPurpose('magic-link', 10),
  'magic-link-known': linkPurpose('magic-link-known', 10),
  verification: linkPurpose('verification', 24 * 60),
  'verification-known': linkPurpose('verification-known', 24 * 60),
  'password-reset': linkPurpose('password-reset', 30),
  'password-reset-known': linkPurpose('password-reset-known', 30),
}

/**
 * Lets the browser that requested a link sign in after the link was opened elsewhere. The secret is in that browser's cookie;
 * the subject is the user.
 */
export const linkApproval: OneTimePurpose<{ securityVersion: number }> = {
  name: 'email-link-approval',
  lifeInSeconds: 10 * MINUTE_IN_SECONDS,
  payload: z.object({ securityVersion: z.number() }),
}

export interface EmailLink {
  /** SHA-256 of the secret in the link. */
  hash: string
  /** SHA-256 of the secret in the cookie of the requesting browser, which waits. */
  browserHash: string
  purpose: EmailLinkPurpose
  email: string
  payload: EmailLinkPayload
  createdAt: Date
  /** Whether this browser requested the link. */
  isSameBrowser: boolean
  /** Whether it was requested where the account is known. Only other such requests end it. */
  isKnown: boolean
}

const CODE_DIGITS = 6
const TRIES_PER_CODE = 5

const codeHashOf = (browser: string, code: string): string => sha256(`${browser}\n${code}`)

/**
 * Creates a link for an address. Its secret is only in the returned URL. `setCookie` is for the browser that waits until the
 * link is opened. In that browser, the `code` does the same as the link; only sign-in links have one.
 */
export async function issueEmailLink(
  app: App,
  {
    purpose,
    email,
    payload,
    isKnown = false,
  }: Pick<EmailLink, 'purpose' | 'email' | 'payload'> & { isKnown?: boolean },
): Promise<{ href: string; setCookie: string; code?: string }> {
  const [secret, browser] = [randomToken(32), randomToken(32)]
  const code = purpose === 'magic-link' ? randomDigits(CODE_DIGITS) : undefined
  await issueOneTime(app, purposes[storedAs({ purpose, isKnown })], {
    secret,
    subject: email,
    browser,
    payload: { ...payload, codeHash: code && codeHashOf(browser, code) },
  })
  const link = new URL(EMAIL_LINK_PATH, app.config.baseUrl)
  link.searchParams.set('token', secret)
  return { href: link.href, setCookie: flowCookie(browser, app.config, purposes[purpose].lifeInSeconds), code }
}

/**
 * Checks the code of the link that this browser waits for. Throws `invalid-code`, and `code-ended` after five wrong ones: then
 * only the link works.
 */
export async function checkMailedCode(
  app: App,
  link: EmailLink,
  code: string,
  cookieHeader: string | undefined,
): Promise<void> {
  // Counted before the code is checked, so that concurrent requests get no extra tries.
  const tried = await tryOneTime(app, purposes[storedAs(link)], { hash: link.hash }, TRIES_PER_CODE)
  if (!tried) throw new AppError('code-ended')
  const browser = readFlowSecret(cookieHeader, app.config) ?? ''
  if (constantTimeEqual(tried.payload.codeHash ?? '', codeHashOf(browser, code))) return
  throw new AppError(tried.tries >= TRIES_PER_CODE ? 'code-ended' : 'invalid-code')
}

/**
 * Reads a link without using it up, because mail scanners and previews open links too. Throws `link-unknown`, `link-used` and
 * `link-expired`.
 */
export async function findEmailLink(app: App, token: string, cookieHeader: string | undefined): Promise<EmailLink> {
  const oneTime = await peekOneTime(app, Object.values(purposes), token)
  if (!oneTime) throw new AppError('link-unknown')
  if (oneTime.usedAt) throw new AppError('link-used')
  if (oneTime.isExpired) throw new AppError('link-expired')
  const secret = readFlowSecret(cookieHeader, app.config)
  return toEmailLink(oneTime, secret !== undefined && sha256(secret) === oneTime.browserHash)
}

const spentSchema = z.object({ securityVersion: z.number() })

/**
 * Uses up a link. One of several concurrent calls succeeds; the others throw `link-used`. Returns the security version of the
 * account at that moment, or 0 when there is none yet. Later steps are valid only while it is unchanged.
 */
export async function spendEmailLink(app: App, { hash, purpose, isKnown }: EmailLink): Promise<number> {
  const version = 'coalesce((select security_version from users where email = subject), 0) as securityVersion'
  const { rows } = await app.db.client.execute(
    spendStatement(app, purposes[storedAs({ purpose, isKnown })], { hash }, {}, version),
  )
  if (!rows[0]) throw new AppError('link-used')
  return spentSchema.parse(rows[0]).securityVersion
}

/** Ends all open links of an address, for every purpose: after a password was set or the address was proved. */
export async function endEmailLinks(app: App, email: string): Promise<void> {
  await app.db.client.execute(endEmailLinksStatement(app, email))
}

/** The statement of `endEmailLinks`, for use in a batch. */
export const endEmailLinksStatement = (app: App, email: string, when?: Parameters<typeof endOneTimeStatement>[3]) =>
  endOneTimeStatement(app, Object.values(purposes), email, when)

/**
 * Whether opening the link requires a new password: a password reset, or the confirmation of a sign-up whose link has no
 * password and is opened in another browser.
 */
export const setsPassword = ({ purpose, payload, isSameBrowser }: EmailLink): boolean =>
  purpose === 'password-reset' || (purpose === 'verification' && payload.passwordHash === undefined && !isSameBrowser)

/**
 * The destination of a link. An authorization request of an app continues only in the browser where it started; other browsers
 * go to `/`.
 */
export function returnPathFor({ isSameBrowser, payload: { returnPath } }: EmailLink): string {
  const [path = ''] = returnPath.split('?', 1)
  return [OAUTH_AUTHORIZE_PATH, DEVICE_PATH].includes(path) && !isSameBrowser ? '/' : returnPath
}

interface ApprovedPerson {
  userId: string
  /** The account's security version. Raising it also ends the approval. */
  securityVersion: number
}

/** Lets the browser that requested a link sign in as this person within ten minutes. The browser polls for this. */
export async function approveWaitingBrowser(
  app: App,
  { browserHash }: EmailLink,
  { userId, securityVersion }: ApprovedPerson,
): Promise<void> {
  await issueOneTime(app, linkApproval, { hash: browserHash, subject: userId, payload: { securityVersion } })
}

export type WaitingState =
  | ({ status: 'approved'; link: EmailLink } & ApprovedPerson)
  /** `link` is set while it can be mailed again. */
  | { status: 'waiting'; link: EmailLink }
  | { status: 'ended' }

/** The state of the link that this browser requested. `approved` is returned once. */
export async function checkWaitingBrowser(app: App, cookieHeader: string | undefined): Promise<WaitingState> {
  const secret = readFlowSecret(cookieHeader, app.config)
  const oneTime = secret && (await peekOneTimeOfBrowser(app, Object.values(purposes), secret))
  if (!secret || !oneTime) return { status: 'ended' }
  const link = toEmailLink(oneTime, true)
  const isApproved = (await peekOneTime(app, linkApproval, secret)) !== null
  if (!isApproved) return oneTime.usedAt ? { status: 'ended' } : { status: 'waiting', link }
  const approval = await spendOneTime(app, linkApproval, secret)
  if (!approval?.subject) return { status: 'ended' }
  return { status: 'approved', userId: approval.subject, ...approval.payload, link }
}

/** The link that this browser requested, in any state; undefined when there is none. */
export async function findWaitingLink(app: App, cookieHeader: string | undefined): Promise<EmailLink | undefined> {
  const secret = readFlowSecret(cookieHeader, app.config)
  const oneTime = secret && (await peekOneTimeOfBrowser(app, Object.values(purposes), secret))
  return oneTime ? toEmailLink(oneTime, true) : undefined
}

/** A used or expired link with its purpose and recipient; undefined for other tokens. */
export async function findEndedLink(app: App, token: string): Promise<EmailLink | undefined> {
  const oneTime = await peekOneTime(app, Object.values(purposes), token)
  return oneTime && (oneTime.usedAt || oneTime.isExpired) ? toEmailLink(oneTime, false) : undefined
}

/** The `Set-Cookie` value that clears the cookie of a waiting browser. */
export const endedFlowCookie = (config: Pick<Config, 'isHttps'>): string => flowCookie('', config, 0)

const FLOW_COOKIE = 'pending'

const flowCookie = (secret: string, config: Pick<Config, 'isHttps'>, lifeInSeconds: number): string =>
  setCookieValue(config, FLOW_COOKIE, secret, lifeInSeconds)

const readFlowSecret = (cookieHeader: string | undefined, config: Pick<Config, 'isHttps'>): string | undefined =>
  readCookie(config, FLOW_COOKIE, cookieHeader)

const isPurpose = (name: string): name is EmailLinkPurpose => Object.hasOwn(purposes, name)

function toEmailLink(oneTime: OneTime<EmailLinkPayload>, isSameBrowser: boolean): EmailLink {
  const { hash, browserHash, subject, payload, createdAt } = oneTime
  const isKnown = oneTime.purpose.endsWith(KNOWN)
  const purpose = isKnown ? oneTime.purpose.slice(0, -KNOWN.length) : oneTime.purpose
  if (!isPurpose(purpose) || browserHash === null || subject === null) throw new Error('this row is no mailed link')
  return { hash, browserHash, purpose, email: subject, payload, createdAt, isSameBrowser, isKnown }
}
