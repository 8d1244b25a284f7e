import {
  describeDifference,
  REGISTRATION_SUBJECT,
  registrationAnswerSchema,
} from '#fairway/server/domains/oauth-server'
import fwConfig from '#fw/config'
import { PeerTokenError, readPeerToken, signPeerToken } from '../server/domains/peers'
import type { HubClientConfig } from '../server/kernel/config/identity-config'
import type { HubApp } from '../server/kernel/config/identity-registry'
import { jsonOf } from '../server/kernel/declaration'
import { readLimited } from '../server/kernel/http/fetch-json'
import { IDENTITY_AUTHORIZE_PATH, IDENTITY_REGISTRATION_PATH } from '../shared/paths'
import type { App } from '../server/kernel/app-context'
import { type Config, loadConfig } from '../server/kernel/config/config'
import { readEnv } from '../server/kernel/config/env'
import { printable, reasonOf } from './mcp/endpoint'

/** The result of a check: `off` when nothing is configured, which is not a fault. */
interface HubReport {
  status: 'ok' | 'failed' | 'off'
  text: string
  checks: Check[]
}

/**
 * Checks whether people can sign in here through the hub in FW_IDENTITY_HUB_URL; sends requests to the hub and to this
 * application.
 */
export async function hubReport(app: OfflineApp, hubUrl: string | undefined): Promise<HubReport> {
  const { identity, baseUrl, notices } = app.config
  const without = (status: HubReport['status'], text: string): HubReport => ({ status, text, checks: [] })
  if (!hubUrl) return without('off', 'FW_IDENTITY_HUB_URL is not set: signing in through a hub is off.')
  const fault = notices.find(notice => /^(FW_IDENTITY_HUB_URL|A2A_SECRET):/.test(notice))
  if (fault) return without('failed', fault)
  if (!identity.client || identity.client.isDesktopOnly) {
    return without('off', `FW_IDENTITY_HUB_URL is this application itself (${baseUrl}): it is the hub. Use --as-hub.`)
  }
  const checks = await checkHub(app, identity.client)
  const failed = checks.filter(({ isRight }) => isRight === false)
  return failed.length === 0
    ? { status: 'ok', text: 'People can sign in through the hub.', checks }
    : { status: 'failed', text: `${failed.length} of ${checks.length} are not right.`, checks }
}

/** Formats the result for people: a line for each check, and the fix below it. */
export const reportLines = ({ text, checks }: HubReport): string[] => [
  ...checks.flatMap(({ name, isRight, text: finding, todo }) => [
    `${isRight === null ? '–' : isRight ? '✓' : '✗'} ${name}: ${finding}`,
    ...(todo ? [`    ${todo}`] : []),
  ]),
  text,
]

/** One check. */
interface Check {
  name: 'hub' | 'clock' | 'secret' | 'registration' | 'callback' | 'addresses'
  /** Null when another fault prevents the check. */
  isRight: boolean | null
  /** The observation. */
  text: string
  /** The fix. */
  todo?: string
}

const LIMIT_IN_MS = 10_000
const MOST_BYTES = 64 * 1024
/** The tolerated clock difference for tokens of the other side. */
const MOST_SKEW_IN_SECONDS = 30

/**
 * Checks both sides of signing in through a hub: the hub, both clocks, the secret in both directions, the registration and our
 * own callback. Also reports who may have an account before the hub vouches for its address.
 */
async function checkHub(app: OfflineApp, client: HubClientConfig): Promise<Check[]> {
  const [atHub, callback] = await Promise.all([checkHubSide(app, client), checkCallback(app, client)])
  return [...atHub, callback, ...addressChecks(app)]
}

async function checkHubSide(app: OfflineApp, client: HubClientConfig): Promise<Check[]> {
  const { check: hub, secondsAhead } = await checkReachable(app, client)
  if (!hub.isRight) return [hub, ...(['clock', 'secret', 'registration'] as const).map(notLookedAt)]
  const clock = clockCheck(secondsAhead)
  const [secret, registration] = await askForRegistration(app, client)
  // Tokens contain the time they were created at, so a wrong clock makes the check of the secret meaningless.
  const isClear = clock.isRight !== false || secret.isRight === true
  return [hub, clock, isClear ? secret : notLookedAt('secret'), registration]
}

// Not a fault: an operator may want it, and should know how it affects the first sign-in through the hub.
function addressChecks({ config: { unconfirmedBy } }: OfflineApp): Check[] {
  if (unconfirmedBy === null) return []
  const text = `accounts open here before their address is confirmed (${unconfirmedBy})`
  const todo =
    'The first sign-in through the hub takes over such an account as it is and leads to /_fw/claim, where its owner decides what stays. To have none, set AUTH_REQUIRE_EMAIL_VERIFICATION=1.'
  return [{ name: 'addresses', isRight: null, text, todo }]
}

const notLookedAt = (name: Check['name']): Check => ({ name, isRight: null, text: 'not looked at' })
const right = (name: Check['name'], text: string): Check => ({ name, isRight: true, text })
const wrong = (name: Check['name'], text: string, todo: string): Check => ({ name, isRight: false, text, todo })

interface Answer {
  status: number
  headers: Headers
  text: string
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': 'Fairway', ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(LIMIT_IN_MS),
  })
  return { status: answer.status, headers: answer.headers, text: await readLimited(answer, MOST_BYTES) }
}

async function checkReachable(
  app: OfflineApp,
  { url }: HubClientConfig,
): Promise<{ check: Check; secondsAhead: number | null }> {
  const failed = (text: string, todo: string) => ({ check: wrong('hub', text, todo), secondsAhead: null })
  const answer = await ask(url + IDENTITY_AUTHORIZE_PATH).catch(reasonOf)
  if (typeof answer === 'string') {
    return failed(`${url} does not answer: ${answer}`, 'See whether FW_IDENTITY_HUB_URL is right and the hub runs.')
  }
  if (answer.status >= 300 && answer.status < 400) {
    const to = printable(answer.headers.get('location') ?? 'another address')
    return failed(
      `${url} redirects to ${to}`,
      'Set FW_IDENTITY_HUB_URL to the origin that the hub itself has as FW_BASE_URL.',
    )
  }
  // Only a hub refuses a request without parameters in this way.
  if (answer.status !== 400 || !/invalid.authorization.request/.test(answer.text)) {
    return failed(
      `${url} answers, and is no identity hub (${answer.status})`,
      'On the hub, set A2A_SECRET and register this application; see docs/guides/identity-hub.md.',
    )
  }
  const date = Date.parse(answer.headers.get('date') ?? '')
  const secondsAhead = Number.isNaN(date) ? null : Math.round((date - app.now().getTime()) / 1000)
  return { check: right('hub', `${url} is an identity hub`), secondsAhead }
}

function clockCheck(secondsAhead: number | null): Check {
  if (secondsAhead === null) return { name: 'clock', isRight: null, text: 'the hub does not say what time it is' }
  const seconds = Math.abs(secondsAhead)
  if (seconds <= MOST_SKEW_IN_SECONDS)
    return right('clock', seconds <= 1 ? 'the clocks agree' : `the clocks differ by ${seconds} s`)
  const text = `the clock of the hub is ${seconds} s ${secondsAhead > 0 ? 'ahead' : 'behind'}`
  return wrong('clock', text, 'Have both machines set their clocks by the network (NTP).')
}

async function askForRegistration(
  app: OfflineApp,
  client: HubClientConfig,
): Promise<[secret: Check, registration: Check]> {
  const { appId, clientId, callbackUrl, url } = client
  const token = await signPeerToken(app, { type: 'a2a+jwt', audience: url, subject: REGISTRATION_SUBJECT })
  const query = new URLSearchParams({ app: appId, client_id: clientId, redirect_uri: callbackUrl })
  const answer = await ask(`${url}${IDENTITY_REGISTRATION_PATH}?${query}`, { authorization: `Bearer ${token}` }).catch(
    reasonOf,
  )
  const failed = (text: string, todo: string): [Check, Check] => [
    wrong('secret', text, todo),
    notLookedAt('registration'),
  ]
  if (typeof answer === 'string') return failed(`the hub does not answer: ${answer}`, 'Try again.')
  if (answer.status === 401) {
    return failed(
      'the hub does not accept what this application signs',
      'Set the same A2A_SECRET on both; also see that FW_IDENTITY_HUB_URL is exactly the FW_BASE_URL of the hub.',
    )
  }
  const parsed = answer.status === 200 ? registrationAnswerSchema.safeParse(jsonOf(answer.text)) : undefined
  if (!parsed?.success) {
    return failed(`the hub answered with something else (${answer.status})`, 'Bring both to the same version.')
  }
  const { registered, differences, proof } = parsed.data
  const registration = registered
    ? right('registration', `${appId} is registered with ${callbackUrl}`)
    : wrong(
        'registration',
        differences.map(difference => printable(describeDifference(difference))).join('; '),
        `On the hub, IDENTITY_SSO_APP_REGISTRY_JSON needs ${registryEntry(client)}`,
      )
  return [await secretCheck(app, client, proof), registration]
}

async function secretCheck(app: OfflineApp, { url }: HubClientConfig, proof: string): Promise<Check> {
  try {
    await readPeerToken(app, proof, { type: 'a2a+jwt', audience: app.config.baseUrl, issuer: url })
    return right('secret', 'both sides accept what the other signs')
  } catch (error) {
    if (!(error instanceof PeerTokenError)) throw error
    return wrong(
      'secret',
      `this application does not accept what the hub signs: ${error.message}`,
      'Set the same A2A_SECRET on both; while it changes, the earlier one in A2A_SECRET_PREVIOUS on both.',
    )
  }
}

const registryEntry = ({ appId, clientId, callbackUrl }: HubClientConfig): string => {
  const { origin, pathname } = new URL(callbackUrl)
  return JSON.stringify({ appId, clientId, origin, callbackPath: pathname, capabilities: ['identity-sso'] })
}

async function checkCallback({ config }: OfflineApp, { callbackUrl }: HubClientConfig): Promise<Check> {
  const failed = (text: string, todo: string) => wrong('callback', text, todo)
  const answer = await ask(callbackUrl).catch(reasonOf)
  if (typeof answer === 'string') {
    return failed(
      `${callbackUrl} does not answer: ${answer}`,
      'See whether FW_BASE_URL is right and this application runs.',
    )
  }
  const location = answer.headers.get('location')
  const target = location && URL.canParse(location, callbackUrl) ? new URL(location, callbackUrl).origin : undefined
  if (target !== undefined && target !== config.baseUrl) {
    return failed(`${callbackUrl} redirects to ${printable(target)}`, 'Set FW_BASE_URL to the address that people use.')
  }
  if (answer.status === 404) {
    return failed(
      `${callbackUrl} is not there`,
      'The application that runs there has the hub switched off: start it again with these settings.',
    )
  }
  if (answer.status >= 500) return failed(`${callbackUrl} answers ${answer.status}`, 'See the log of this application.')
  return right('callback', `${callbackUrl} answers`)
}

/** Needs no database: the settings and the clock. */
type OfflineApp = Pick<App, 'config' | 'now'>

/** Reads the settings of this folder's application, in development unless NODE_ENV says otherwise; throws ConfigError. */
export function offlineApp(source: Record<string, string | undefined>): OfflineApp {
  const env = readEnv({ ...source, NODE_ENV: source.NODE_ENV || 'development' })
  // This command seals and signs nothing, so it creates and reads no secret.
  const config: Config = loadConfig(env, fwConfig, 'not used without a database '.repeat(2))
  return { config, now: () => new Date() }
}

interface RegistryReport {
  status: 'ok' | 'failed' | 'off'
  apps: readonly HubApp[]
  /** Whether applications on this machine require no registration. */
  acceptsLoopback: boolean
  /** The parts of the settings that are ignored. */
  notices: string[]
  /** The same, formatted for people. */
  lines: string[]
}

const OF_A_HUB = /^(IDENTITY_SSO_APP_REGISTRY_JSON|A2A_SECRET|FW_IDENTITY_HUB_URL):/

/** Returns the applications that this hub knows from its settings, and the ignored parts of these settings. */
export function describeRegistry({ identity, baseUrl, notices: all }: Config): RegistryReport {
  const notices = all.filter(notice => OF_A_HUB.test(notice))
  const { hub } = identity
  const apps = hub?.apps ?? []
  const acceptsLoopback = hub?.acceptsLoopback ?? false
  const status = notices.length > 0 ? 'failed' : hub ? 'ok' : 'off'
  const lines = [
    hub
      ? `${baseUrl} is an identity hub for ${apps.length} ${apps.length === 1 ? 'application' : 'applications'}.`
      : `${baseUrl} is no identity hub: that needs A2A_SECRET and a registered application.`,
    ...apps.map(describeApp),
    ...(acceptsLoopback ? ['✓ any application on this machine (development)'] : []),
    ...notices.map(notice => `✗ ${notice}`),
  ]
  return { status, apps, acceptsLoopback, notices, lines }
}

const describeApp = ({ appId, clientId, origin, callbackPath, isCanonical }: HubApp): string =>
  `✓ ${appId}: client ${clientId}, ${origin}${callbackPath}${isCanonical ? ' (declared in fw.config.ts)' : ''}`
