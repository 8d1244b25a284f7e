import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { findRun } from '#fairway/server/kernel/current-run'
import { readTimeZone } from '#fairway/server/kernel/http/cookie'
import { canonicalAddress } from '#fairway/server/kernel/http/client-address'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import type { SecurityEventKind } from '../../kernel/security-events/event-kinds'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import { DEVICES_PAGE, TOKENS_PAGE } from '#fairway/shared/paths'
import { mailContent, mailTime } from '../../kernel/mail/mail-content'
import { queueMail } from '../../kernel/mail/queue-mail'
import type { MailContent } from '../../kernel/mail/mail-layout'
import { isConnectionProvider } from '#fairway/shared/connection-provider'
import type { Language } from '#fairway/shared/languages'
import { fill, messagesOf, offered } from '../../kernel/messages'
import { findPerson } from './person'
import { languageOfPerson, rememberLanguage, rememberTimeZone, timeZoneOfPerson } from './person-values'

interface SignInFacts {
  userId: string
  email: string
  /** The sign-in method: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: string
  ipAddress: string
  userAgent: string
  /** The language of the browser that signs in. */
  language?: Language
  /** Its time zone. */
  timeZone?: string
}

/** Runs after a sign-in, in the background: records the device and notifies the owner when it is new. Never throws. */
export function afterSignIn(app: App, facts: SignInFacts): void {
  if (facts.provider === 'dev' || facts.email === DEV_EMAIL) return
  inBackground(app, 'after-sign-in', () => announceDevice(app, facts))
}

/** Records the device of a sign-in and sends an email when it is new for the account. */
export async function announceDevice(app: App, facts: SignInFacts): Promise<void> {
  const name = await readDevice(facts.userAgent)
  const known = await languageOfPerson(app, facts)
  if (!known && facts.language) await rememberLanguage(app, facts.userId, facts.language)
  // The mail about a stranger's device must not use the stranger's zone.
  const timeZone = (await timeZoneOfPerson(app, facts)) ?? facts.timeZone
  if (facts.timeZone) await rememberTimeZone(app, facts.userId, facts.timeZone)
  if (!(await noteDevice(app, facts.userId, deviceInWords(name)))) return
  const { userId, provider: reason, ipAddress: clientAddress } = facts
  await recordSecurityEvent(app, { kind: 'new-device', userId, reason, device: deviceInWords(name), clientAddress })
  if (!app.mailer.isReady) return
  const language = known ?? facts.language ?? offered.defaultLanguage
  await sendNewDeviceMail(app, { ...facts, to: facts.email, language, timeZone })
}

/**
 * Records a device. Returns true when it is new for an account that has other devices. Of several concurrent calls, one returns
 * true.
 */
async function noteDevice(app: App, userId: string, device: string): Promise<boolean> {
  const now = app.now().getTime()
  const [others, added] = await app.db.client.batch(
    [
      { sql: 'select 1 from known_devices where user_id = ? limit 1', args: [userId] },
      {
        sql: `insert into known_devices (user_id, device, first_seen_at, last_seen_at) values (?, ?, ?, ?)
          on conflict do nothing returning device`,
        args: [userId, device, now, now],
      },
      {
        sql: 'update known_devices set last_seen_at = ? where user_id = ? and device = ?',
        args: [now, userId, device],
      },
    ],
    'write',
  )
  return added?.rows.length === 1 && others?.rows.length === 1
}

interface NewDeviceMail {
  to: string
  userAgent: string
  ipAddress: string
  /** The sign-in method: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: string
  language: Language
  timeZone?: string
}

/** The names of providers that are no longer configured. */
const NAMES: Partial<Record<string, string>> = { google: 'Google', github: 'GitHub' }

/** Notifies a person that their account was used on a new device. */
async function sendNewDeviceMail(
  app: App,
  { to, userAgent, ipAddress: clientAddress, provider, language, timeZone }: NewDeviceMail,
): Promise<void> {
  const { baseUrl, signInProviders } = app.config
  const providerName = signInProviders.find(({ id }) => id === provider)?.name
  const { ways, withProvider } = messagesOf(language).mailWords
  const way: Partial<Record<string, string>> = ways
  const known = isConnectionProvider(provider) ? 'connection' : provider
  const how = way[known] ?? fill(withProvider, { name: providerName ?? NAMES[provider] ?? provider })
  const values = { ...(await occasionInWords(app, { userAgent, clientAddress }, { language, timeZone })), how }
  await queueMail(app, to, mailContent(app, 'new-device', { values, href: baseUrl + DEVICES_PAGE, language }))
}

/** The changes with a mail, by the mail's name. */
type Change =
  | 'password-changed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'two-factor-on'
  | 'two-factor-off'
  | 'account-linked'
  | 'account-unlinked'

interface AccountEvent {
  kind: SecurityEventKind
  /** The account of the event. Default: the account of the address, if there is one. */
  userId?: string
  email?: string
  /** The organization of the event. */
  orgId?: string
  /** The provider, passkey or token of the event. */
  subject?: string
  /** A fixed word with more detail. */
  reason?: string
  quietForInMs?: number
}

/** Records a security event of an account, with the origin of the request, in the background. */
export function noteAccountEvent(app: App, { email, reason = '', ...event }: AccountEvent): void {
  const { clientAddress, userAgent } = findRun() ?? {}
  inBackground(app, 'account-event', async () => {
    // Runs after the request's own work.
    await new Promise(resolve => setImmediate(resolve))
    await recordSecurityEvent(app, {
      ...event,
      reason,
      userId: event.userId ?? (email === undefined ? undefined : (await findPerson(app, { email }))?.userId),
      clientAddress: clientAddress && canonicalAddress(clientAddress),
      device: userAgent ? deviceInWords(await readDevice(userAgent)) : undefined,
    })
  })
}

/**
 * Records a change of a sign-in method and emails the owner, in the background. Never fails the change. Sends no mail when no
 * mail is set up.
 */
export function tellOwner(app: App, userId: string, change: Change, subject?: string): void {
  noteAccountEvent(app, { kind: change, userId, subject })
  const href = app.config.baseUrl + DEVICES_PAGE
  const { clientAddress = '', userAgent = '' } = findRun() ?? {}
  mailNotice(app, userId, async (reader, email) => {
    const values = { ...(await occasionInWords(app, { clientAddress, userAgent }, reader)), email }
    return mailContent(app, change, { values, href, language: reader.language })
  })
}

interface MadeToken {
  userId: string
  orgId: string
  name: string
  expiresAt: Date
}

/** Records a new API token and emails the account's owner, in the background. Sends no mail when no mail is set up. */
export function tellOwnerOfToken(app: App, { userId, orgId, name, expiresAt }: MadeToken): void {
  noteAccountEvent(app, { kind: 'token-made', userId, orgId, subject: name })
  const href = app.config.baseUrl + TOKENS_PAGE
  mailNotice(app, userId, ({ language, timeZone }) => {
    const values = { token: name, expires: mailTime(expiresAt, language, timeZone) }
    return mailContent(app, 'token-made', { values, href, language })
  })
}

/** The receiver of a mail: the language, and the time zone where it is known. */
interface Reader {
  language: Language
  timeZone?: string
}
type ContentFor = (reader: Reader, email: string) => MailContent | Promise<MailContent>

/** Emails a person in their language and time zone, in the background. Sends no mail when no mail is set up. */
export function mailNotice(app: App, userId: string, contentFor: ContentFor): void {
  if (app.mailer.isReady) inBackground(app, 'tell-owner', () => sendNotice(app, userId, contentFor))
}

async function sendNotice(app: App, userId: string, contentFor: ContentFor): Promise<void> {
  const person = await findPerson(app, { userId })
  if (!person || person.kind === 'dev') return
  const language = (await languageOfPerson(app, { userId })) ?? offered.defaultLanguage
  const timeZone = await timeZoneOfPerson(app, { userId })
  await queueMail(app, person.email, await contentFor({ language, timeZone }, person.email))
}

interface DeviceName {
  /** For example “Firefox”. Null when the user agent names no known browser. */
  browser: string | null
  /** For example “Windows”. Null when the user agent names no known system. */
  system: string | null
}

/**
 * The browser and the system of a user agent. Only names from the library's list are returned, because visitors control the
 * text.
 */
export async function readDevice(userAgent: string | null): Promise<DeviceName> {
  if (!userAgent) return { browser: null, system: null }
  // Loaded on first use: the server starts without it.
  const { BROWSER_MAP, OS_MAP, parse } = await import('bowser')
  const { browser, os } = parse(userAgent)
  return { browser: known(BROWSER_MAP, browser.name), system: known(OS_MAP, os.name) }
}

/** A device in words for people, for example “Firefox on Windows”. */
export function deviceInWords({ browser, system }: DeviceName, language: Language = 'en'): string {
  const { device, unknownBrowser, unknownSystem } = messagesOf(language).mailWords
  return fill(device, { browser: browser ?? unknownBrowser, system: system ?? unknownSystem })
}

/** When, on which device and from which address something happened, in the reader’s words and time zone. */
export async function occasionInWords(
  app: Pick<App, 'now'>,
  { userAgent, clientAddress }: Pick<RequestInfo, 'userAgent' | 'clientAddress'>,
  { language, timeZone }: Reader,
) {
  const { askedFrom, noAddress } = messagesOf(language).mailWords
  const device = deviceInWords(await readDevice(userAgent), language)
  const address = clientAddress || noAddress
  return {
    when: mailTime(app.now(), language, timeZone),
    device,
    address,
    askedFrom: fill(askedFrom, { device, address }),
  }
}

/** The same for the request that asks for a mail to an address. */
export async function requestInWords(app: App, request: RequestInfo, to: { email: string; language: Language }) {
  const timeZone = (await timeZoneOfPerson(app, to)) ?? readTimeZone(request.cookieHeader)
  return occasionInWords(app, request, { language: to.language, timeZone })
}

const known = (names: object, name: string | undefined): string | null =>
  name !== undefined && Object.values(names).includes(name) ? name : null
