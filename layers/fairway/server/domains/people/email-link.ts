// Links that are mailed to an address: issued, looked at, used once, and the browser that waits for one to be opened.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
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
} from '#fairway/server/kernel/one-time/one-time'
import { EMAIL_LINK_PATH, OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'

const payloadSchema = z.object({
  /** Where the person wanted to go. */
  returnPath: z.string(),
  language: z.string().optional(),
  /** Where the link was asked for, for the person who has to decide. */
  userAgent: z.string(),
  clientAddress: z.string(),
  /** What an account is to have that is confirmed by this link. */
  name: z.string().optional(),
  passwordHash: z.string().optional(),
  /** The version of the terms that was accepted in the form. */
  termsVersion: z.string().optional(),
})

type EmailLinkPayload = z.output<typeof payloadSchema>

const MINUTE_IN_SECONDS = 60

const linkPurpose = (name: EmailLinkPurpose, minutes: number): OneTimePurpose<EmailLinkPayload> => ({
  name,
  lifeInSeconds: minutes * MINUTE_IN_SECONDS,
  payload: payloadSchema,
  mostPerSubject: 3,
})

export type EmailLinkPurpose = 'magic-link' | 'verification' | 'password-reset'

/** The links that are mailed, by what they are for; their subject is the address. */
const purposes: Record<EmailLinkPurpose, OneTimePurpose<EmailLinkPayload>> = {
  'magic-link': linkPurpose('magic-link', 10),
  verification: linkPurpose('verification', 24 * 60),
  'password-reset': linkPurpose('password-reset', 30),
}

/** What lets the browser that asked for a link sign in once the link was opened elsewhere: its secret is the one in that browser's cookie, its subject the user. */
export const linkApproval: OneTimePurpose<{ securityVersion: number }> = {
  name: 'email-link-approval',
  lifeInSeconds: 10 * MINUTE_IN_SECONDS,
  payload: z.object({ securityVersion: z.number() }),
}

export interface EmailLink {
  /** SHA-256 of the secret in the link. */
  hash: string
  /** SHA-256 of the secret in the cookie of the browser that asked and waits. */
  browserHash: string
  purpose: EmailLinkPurpose
  email: string
  payload: EmailLinkPayload
  createdAt: Date
  /** Whether this browser is the one that asked. */
  isSameBrowser: boolean
}

/** Makes a link for an address: its secret is in the given URL only. `setCookie` is for the browser that waits for it to be opened. */
export async function issueEmailLink(
  app: App,
  { purpose, email, payload }: Pick<EmailLink, 'purpose' | 'email' | 'payload'>,
): Promise<{ href: string; setCookie: string }> {
  const [secret, browser] = [randomToken(32), randomToken(32)]
  await issueOneTime(app, purposes[purpose], { secret, subject: email, browser, payload })
  const link = new URL(EMAIL_LINK_PATH, app.config.baseUrl)
  link.searchParams.set('token', secret)
  return { href: link.href, setCookie: flowCookie(browser, app.config, purposes[purpose].lifeInSeconds) }
}

/** Looks at a link without using it: mail scanners and previews do that too. Throws `link-unknown`, `link-used` and `link-expired`. */
export async function findEmailLink(app: App, token: string, cookieHeader: string | undefined): Promise<EmailLink> {
  const found = await peekOneTime(app, Object.values(purposes), token)
  if (!found) throw new AppError('link-unknown')
  if (found.usedAt) throw new AppError('link-used')
  if (found.isExpired) throw new AppError('link-expired')
  const secret = readFlowSecret(cookieHeader, app.config)
  return toEmailLink(found, secret !== undefined && sha256(secret) === found.browserHash)
}

const spentSchema = z.object({ securityVersion: z.number() })

/**
 * Uses a link up: of any number of calls at once one goes on, the others get `link-used`. Gives the security version of the
 * account at that moment, 0 when there is none yet: what the link leads to counts only while that is unchanged.
 */
export async function spendEmailLink(app: App, { hash, purpose }: EmailLink): Promise<number> {
  const version = 'coalesce((select security_version from users where email = subject), 0) as securityVersion'
  const { rows } = await app.db.client.execute(spendStatement(app, purposes[purpose], { hash }, {}, version))
  if (!rows[0]) throw new AppError('link-used')
  return spentSchema.parse(rows[0]).securityVersion
}

/** Ends all open links of an address, of every kind: after a password was set or the address was proved. */
export async function endEmailLinks(app: App, email: string): Promise<void> {
  await app.db.client.execute(endEmailLinksStatement(app, email))
}

/** The statement of `endEmailLinks`, for a batch of the caller's. */
export const endEmailLinksStatement = (app: App, email: string, when?: Parameters<typeof endOneTimeStatement>[3]) =>
  endOneTimeStatement(app, Object.values(purposes), email, when)

/**
 * Whether a link is confirmed together with a new password: also the confirmation of a sign-up, where neither the browser of that
 * sign-up nor one that is signed in asked for it and opens it.
 */
export const setsPassword = ({ purpose, payload, isSameBrowser }: EmailLink): boolean =>
  purpose === 'password-reset' || (purpose === 'verification' && payload.passwordHash === undefined && !isSameBrowser)

/** Where a link leads on: an app that asks to be connected is answered in the browser that it has opened, and in no other. */
export function returnPathFor({ isSameBrowser, payload: { returnPath } }: EmailLink): string {
  const [path] = returnPath.split('?', 1)
  return path === OAUTH_AUTHORIZE_PATH && !isSameBrowser ? '/' : returnPath
}

interface ApprovedPerson {
  userId: string
  /** The account's security version; what raises it ends the approval too. */
  securityVersion: number
}

/** Lets the browser that asked for a link be signed in as this person, within ten minutes; it finds out by itself. */
export async function approveWaitingBrowser(
  app: App,
  { browserHash }: EmailLink,
  { userId, securityVersion }: ApprovedPerson,
): Promise<void> {
  await issueOneTime(app, linkApproval, { hash: browserHash, subject: userId, payload: { securityVersion } })
}

export type WaitingState =
  | ({ status: 'approved'; link: EmailLink } & ApprovedPerson)
  /** `link` is there while it can be mailed again. */
  | { status: 'waiting'; link: EmailLink }
  | { status: 'ended' }

/** What has become of the link that this browser asked for; `approved` is given once. */
export async function checkWaitingBrowser(app: App, cookieHeader: string | undefined): Promise<WaitingState> {
  const secret = readFlowSecret(cookieHeader, app.config)
  const asked = secret && (await peekOneTimeOfBrowser(app, Object.values(purposes), secret))
  if (!secret || !asked) return { status: 'ended' }
  const link = toEmailLink(asked, true)
  const isApproved = (await peekOneTime(app, linkApproval, secret)) !== null
  if (!isApproved) return asked.usedAt ? { status: 'ended' } : { status: 'waiting', link }
  const approval = await spendOneTime(app, linkApproval, secret)
  if (!approval?.subject) return { status: 'ended' }
  return { status: 'approved', userId: approval.subject, ...approval.payload, link }
}

/** The link that this browser asked for and waits for, whatever has become of it; undefined when it waits for none. */
export async function findWaitingLink(app: App, cookieHeader: string | undefined): Promise<EmailLink | undefined> {
  const secret = readFlowSecret(cookieHeader, app.config)
  const asked = secret && (await peekOneTimeOfBrowser(app, Object.values(purposes), secret))
  return asked ? toEmailLink(asked, true) : undefined
}

/** A link that no longer works, with what it was for and to whom it was mailed; undefined when nothing is known of it. */
export async function findEndedLink(app: App, token: string): Promise<EmailLink | undefined> {
  const found = await peekOneTime(app, Object.values(purposes), token)
  return found && (found.usedAt || found.isExpired) ? toEmailLink(found, false) : undefined
}

/** The `Set-Cookie` value after which the browser waits for no link. */
export const endedFlowCookie = (config: Pick<Config, 'isHttps'>): string => flowCookie('', config, 0)

const FLOW_COOKIE = 'pending'

const flowCookie = (secret: string, config: Pick<Config, 'isHttps'>, lifeInSeconds: number): string =>
  setCookieValue(config, FLOW_COOKIE, secret, lifeInSeconds)

const readFlowSecret = (cookieHeader: string | undefined, config: Pick<Config, 'isHttps'>): string | undefined =>
  readCookie(config, FLOW_COOKIE, cookieHeader)

const isPurpose = (name: string): name is EmailLinkPurpose => Object.hasOwn(purposes, name)

function toEmailLink(found: OneTime<EmailLinkPayload>, isSameBrowser: boolean): EmailLink {
  const { hash, browserHash, purpose, subject, payload, createdAt } = found
  if (!isPurpose(purpose) || browserHash === null || subject === null) throw new Error('this row is no mailed link')
  return { hash, browserHash, purpose, email: subject, payload, createdAt, isSameBrowser }
}
