// Checks the requests to other servers, and how other servers reach this application.
import { createGuardedFetch, type GuardedFetch, GuardedFetchError } from '../../server/kernel/http/guarded-fetch'
import { authorizationEndpoint } from '../../server/domains/oauth-client/provider-client'
import { knownProvider } from '../../server/domains/oauth-client/known-providers'
import type { SignInProvider } from '../../server/kernel/config/sign-in-config'
import { createMailer, verifyMailServer } from '../../server/kernel/mail/mailer'
import { isLoopbackHost } from '../../shared/loopback'
import { MCP_PATH, signInCallbackPath } from '../../shared/paths'
import { hubReport } from '../hub-checks'
import { askForChallenge, readResourceMetadata, readServerMetadata } from '../mcp/discovery-steps'
import { reasonOf, StepFailure } from '../mcp/endpoint'
import {
  outboundApp,
  type Check,
  fault,
  type Found,
  off,
  ok,
  type CheckInput,
  quietLog,
  readiness,
  secondsAhead,
  warning,
} from './check'
import { databaseClock } from './database'

export const mail: Check = {
  name: 'mail',
  async run({ config, sendTo }) {
    const { smtp, outbox } = config.mail
    if (!smtp && outbox) return ok(`mails are written to ${outbox} instead of being sent`)
    if (!smtp) {
      return warning(
        'no mail server: no sign-in links, confirmations, invitations or new passwords by mail',
        'Set SMTP_URL and EMAIL_FROM.',
      )
    }
    const { host } = new URL(smtp.url)
    try {
      await verifyMailServer(smtp)
      if (!sendTo) return ok(`${host} takes this sender’s connection; no mail was sent (--send-to sends one)`)
      const log = quietLog()
      const subject = `A mail of ${config.name}`
      const text = `fw doctor sent this from ${config.baseUrl}.`
      await createMailer(config.mail, log).send({ to: sendTo, subject, text })
      return ok(`${host} has taken a mail for ${sendTo}`)
    } catch (error) {
      return fault(
        `${host}: ${reasonOf(error)}`,
        'See whether host, port, user name and password of SMTP_URL are right (smtps:// for port 465), and whether this network lets the port out.',
      )
    }
  },
}

export const providers: Check = {
  name: 'providers',
  async run(input) {
    const { signInProviders } = input.config
    if (signInProviders.length === 0) return off('none is set up')
    return Promise.all(signInProviders.map(provider => askProvider(input, provider)))
  },
}

const PROVIDER_LIMIT_IN_MS = 10_000

async function askProvider(input: CheckInput, provider: SignInProvider): Promise<Found> {
  const redirect = input.config.baseUrl + signInCallbackPath(provider.id)
  const register = `Register ${redirect} there as redirect address of the client ${provider.clientId}.`
  try {
    const record = { ...knownProvider(provider), clientId: provider.clientId }
    const endpoint = new URL(await authorizationEndpoint(outboundApp(input), record))
    const query = {
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: redirect,
      scope: 'openid',
      prompt: 'none',
    }
    for (const [name, value] of Object.entries(query)) endpoint.searchParams.set(name, value)
    // Providers refuse an unknown client or address before the sign-in.
    endpoint.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
    endpoint.searchParams.set('code_challenge_method', 'S256')
    const answer = await fetch(endpoint, { redirect: 'manual', signal: AbortSignal.timeout(PROVIDER_LIMIT_IN_MS) })
    await answer.body?.cancel()
    if (answer.status >= 400)
      return fault(`${provider.id} refuses the client or the redirect address (${answer.status})`, register)
    return ok(`${provider.id} answers; people are sent back to ${redirect}`)
  } catch (error) {
    const where = provider.kind === 'openid' ? provider.issuer : provider.url
    return fault(
      `${provider.id} does not answer: ${reasonOf(error)}`,
      `See whether ${where} is right, and whether this network lets it out. ${register}`,
    )
  }
}

export const baseUrl: Check = {
  name: 'base-url',
  async run({ config }) {
    const isProduction = config.environment === 'production'
    const isHere = isLoopbackHost(new URL(config.baseUrl).hostname)
    if (isProduction && !config.isHttps && !isHere)
      return fault(`${config.baseUrl} is not encrypted`, 'Serve it by https, and set FW_BASE_URL to that address.')
    const readinessAnswer = await readiness(config.baseUrl)
    if (readinessAnswer.state === 'ready')
      return [ok(`${config.baseUrl} answers and is ready`), ...proxyFound(config, isHere)]
    if (readinessAnswer.state === 'not-ready')
      return fault(`${config.baseUrl} is not ready: ${readinessAnswer.checks}`, 'See its log.')
    if (readinessAnswer.state === 'other')
      return fault(
        `${config.baseUrl} ${readinessAnswer.text}`,
        'Set FW_BASE_URL to the address that people use, without a redirect.',
      )
    return isProduction
      ? fault(
          `${config.baseUrl} does not answer from here: ${readinessAnswer.text}`,
          'Start the server; see whether its name, certificate and proxy are right.',
        )
      : warning(
          `${config.baseUrl} does not answer`,
          'Start it with `npm run dev`, and run `fw doctor` again for what only a running server tells.',
        )
  },
}

// The server only speaks http: when the public address uses https, a proxy must be in front of it.
const proxyFound = (config: CheckInput['config'], isHere: boolean): Found[] =>
  config.isHttps && !isHere && config.trustedProxies.length === 0
    ? [
        warning(
          'no proxy is trusted: limits and devices see everybody at the proxy’s address',
          'Set FW_TRUSTED_PROXIES to the address of the proxy.',
        ),
      ]
    : []

export const mcp: Check = {
  name: 'mcp',
  async run({ config }) {
    const url = new URL(config.baseUrl + MCP_PATH)
    if ((await readiness(config.baseUrl)).state === 'away') return off('not looked at: the base URL does not answer')
    try {
      const resource = await readResourceMetadata(url, await askForChallenge(url))
      const server = await readServerMetadata(resource)
      if (server.issuer !== config.baseUrl)
        return fault(
          `hosts are sent to ${server.issuer}, and this is ${config.baseUrl}`,
          'Give the running server the same FW_BASE_URL.',
        )
      return ok(`${url.href} leads hosts to the sign-in (401, resource and server metadata)`)
    } catch (error) {
      const text =
        error instanceof StepFailure ? `${error.step}: expected ${error.expected}, got ${error.got}` : reasonOf(error)
      return fault(text, 'Let the proxy pass /mcp, /.well-known and the header WWW-Authenticate unchanged.')
    }
  },
}

/** The metadata document of a released host: a server with outbound access can fetch it. */
const DOCUMENT = 'https://claude.ai/oauth/claude-code-client-metadata'
const DOCUMENT_LIMITS = { maxBytes: 64 * 1024, limitInMs: 10_000 }

/** Checks whether metadata documents of hosts can be fetched from here, with the fetch that the server uses. */
export const outgoingBy = (fetchGuarded: GuardedFetch): Check => ({
  name: 'outgoing',
  async run({ config }) {
    const { clientDocuments } = config.oauth
    if (clientDocuments === 'off') return off('FW_CLIENT_DOCUMENTS=off: hosts register themselves')
    const isAsked = clientDocuments === 'on' || (config.isHttps && !isLoopbackHost(new URL(config.baseUrl).hostname))
    if (!isAsked) return off('hosts of an application on this machine register themselves')
    try {
      const { status } = await fetchGuarded(DOCUMENT, DOCUMENT_LIMITS)
      return ok(`documents of hosts can be fetched (${new URL(DOCUMENT).host} answers ${status})`)
    } catch (error) {
      if (!(error instanceof GuardedFetchError)) throw error
      return warning(
        `${DOCUMENT}: ${error.message}`,
        'Let the server out to https on port 443 and give it DNS, or set FW_CLIENT_DOCUMENTS=off so that hosts register themselves.',
      )
    }
  },
})

export const outgoing = outgoingBy(createGuardedFetch())

const MOST_SKEW_IN_SECONDS = 30

export const clock: Check = {
  name: 'clock',
  async run(input) {
    const comparison = await compareClocks(input)
    if (!comparison)
      return off('nobody here says what time it is: no database server, no provider and no public address')
    const { of, ahead } = comparison
    const seconds = Math.abs(ahead)
    if (seconds <= MOST_SKEW_IN_SECONDS) return ok(`agrees with ${of}${seconds > 1 ? ` within ${seconds} s` : ''}`)
    return fault(
      `${of} is ${seconds} s ${ahead > 0 ? 'ahead' : 'behind'}`,
      'Have both machines set their clocks by the network (NTP).',
    )
  },
}

/** Uses the first source that reports the time: the database server, a provider, the public address. */
async function compareClocks(input: CheckInput): Promise<{ of: string; ahead: number } | undefined> {
  const atDatabase = await databaseClock(input).catch(() => null)
  if (atDatabase !== null) return { of: 'the database server', ahead: atDatabase }
  const { signInProviders, baseUrl: ownUrl } = input.config
  const issuers = signInProviders.map(provider => (provider.kind === 'openid' ? provider.issuer : provider.url))
  const isPublic = !isLoopbackHost(new URL(ownUrl).hostname)
  for (const url of [...issuers, ...(isPublic ? [ownUrl] : [])]) {
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5000) }).catch(
      () => undefined,
    )
    const ahead = answer && secondsAhead(answer)
    if (ahead !== undefined && ahead !== null) return { of: new URL(url).host, ahead }
  }
  return undefined
}

export const hub: Check = {
  name: 'hub',
  async run(input) {
    const { status, text, checks } = await hubReport(outboundApp(input), input.source.FW_IDENTITY_HUB_URL)
    if (status !== 'failed') return status === 'ok' ? ok(text) : off(text)
    const wrong = checks.filter(({ isRight }) => isRight === false)
    return wrong.length > 0
      ? wrong.map(check => fault(`${check.name}: ${check.text}`, check.todo ?? 'See `fw hub check`.'))
      : fault(text, 'Correct the setting; `fw hub check` looks closer.')
  },
}
