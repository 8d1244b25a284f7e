import { z } from 'zod'
import {
  EMAIL_ADDRESS,
  DESKTOP_CEREMONIES_PATH,
  DESKTOP_PREFIX,
  IDENTITY_AUTHORIZE_PATH,
  IDENTITY_LOGIN_PATH,
  SESSION_PATH,
  desktopAvailabilitySchema,
  desktopCeremonySchema,
  desktopExchangeSchema,
} from 'nuxt-fairway/desktop-wire'
import { ask, askJson, checkStatus, DesktopError, parseAnswer } from './ask'
import type { HubApp, HubClient } from './eligibility'
import type { DesktopHost, HostAnswer } from './host'

const AVAILABILITY_LIMIT_IN_MS = 5000

/** An origin, and the partition to send its requests in. */
export interface Place {
  partition: string
  origin: string
  signal?: AbortSignal
}

type Ceremony = z.infer<typeof desktopCeremonySchema>
export type Exchange = z.infer<typeof desktopExchangeSchema>

/** Only the email address of a session matters here. */
const sessionSchema = z.object({ session: z.object({ email: z.email({ pattern: EMAIL_ADDRESS }) }).nullable() })

/** Whether the hub offers workspace sign-in; also false when the response cannot be read. */
export async function isHubAvailable(host: DesktopHost, place: Place): Promise<boolean> {
  try {
    return (await readAvailability(host, place)).available
  } catch {
    return false
  }
}

/** Reads how an application declares that it signs people in through a hub; throws `DesktopError`. */
export const readClient = async (host: DesktopHost, place: Place): Promise<HubClient> =>
  (await readAvailability(host, place)).client

async function readAvailability(host: DesktopHost, { partition, origin, signal }: Place) {
  const answer = await ask(host, {
    partition,
    signal,
    method: 'GET',
    url: `${origin}${DESKTOP_PREFIX}/availability`,
    limitInMs: AVAILABILITY_LIMIT_IN_MS,
  })
  // An application without a hub and a shared secret does not serve this address.
  return answer.status === 404 ? { available: false, client: null } : parseAnswer(answer, desktopAvailabilitySchema)
}

/**
 * Returns the email address of the person who is signed in at this place, or null; throws `DesktopError` when it cannot be read.
 */
export async function readSession(host: DesktopHost, { partition, origin, signal }: Place): Promise<string | null> {
  const input = { partition, signal, method: 'GET', url: `${origin}${SESSION_PATH}` } as const
  const answer = await askJson(host, input, sessionSchema)
  return answer.session?.email ?? null
}

/** Ends the session at this place; throws `DesktopError`. Also succeeds when there is no session. */
export async function endSession(host: DesktopHost, { partition, origin }: Place): Promise<void> {
  const answer = await ask(host, { partition, method: 'DELETE', url: `${origin}${SESSION_PATH}`, headers: { origin } })
  if (answer.status !== 401) checkStatus(answer)
}

/** Starts a ceremony at the hub; throws `DesktopError`. */
export const startCeremony = (
  host: DesktopHost,
  { partition, origin, signal }: Place,
  body: { codeChallenge: string; nonce: string },
): Promise<Ceremony> =>
  askJson(
    host,
    {
      partition,
      signal,
      method: 'POST',
      url: `${origin}${DESKTOP_CEREMONIES_PATH}`,
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    desktopCeremonySchema,
  )

/**
 * Completes a confirmed ceremony: returns the person and the applications of the hub. Undefined while it is not confirmed or
 * there is no session at the hub; throws `DesktopError`.
 */
export async function exchangeCeremony(
  host: DesktopHost,
  { partition, origin, signal }: Place,
  { id, verifier }: { id: string; verifier: string },
): Promise<Exchange | undefined> {
  const answer = await ask(host, {
    partition,
    signal,
    method: 'POST',
    url: `${origin}${DESKTOP_CEREMONIES_PATH}/${encodeURIComponent(id)}/exchange`,
    headers: { origin, 'x-fairway-verifier': verifier },
  })
  if (answer.status === 410) throw new DesktopError('timed-out')
  return answer.status === 401 || answer.status === 409 ? undefined : parseAnswer(answer, desktopExchangeSchema)
}

/** Returns the hub's current applications for the person who is signed in there; throws `DesktopError`. */
export const readSnapshot = (host: DesktopHost, { partition, origin, signal }: Place): Promise<Exchange> =>
  askJson(host, { partition, signal, method: 'GET', url: `${origin}${DESKTOP_PREFIX}/apps` }, desktopExchangeSchema)

const isRedirect = ({ status }: HostAnswer): boolean => status === 302 || status === 303

/** Returns the parameters of an address; undefined when one is repeated. */
function parametersOf(url: URL): Map<string, string> | undefined {
  const parameters = new Map(url.searchParams)
  return parameters.size === [...url.searchParams].length ? parameters : undefined
}

/** Returns the target of a redirect when it is exactly this endpoint with parameters; throws `DesktopError`. */
function redirectTo(endpoint: string, answer: HostAnswer): { url: URL; parameters: Map<string, string> } {
  if (answer.status >= 500 || answer.status === 429) throw new DesktopError('unreachable')
  if (!isRedirect(answer) || !answer.location || !URL.canParse(answer.location)) throw new DesktopError('refused')
  const url = new URL(answer.location)
  const parameters = parametersOf(url)
  const isExact = `${url.origin}${url.pathname}` === endpoint && !url.hash && !url.username && !url.password
  if (!isExact || !parameters) throw new DesktopError('refused')
  return { url, parameters }
}

/** Starts a sign-in at an application: returns its request to the hub, and the state it created; throws `DesktopError`. */
export async function askApp(
  host: DesktopHost,
  app: Place,
  { hub, hubApp }: { hub: string; hubApp: HubApp },
): Promise<{ url: string; state: string }> {
  const answer = await ask(host, { ...pick(app), method: 'GET', url: `${app.origin}${IDENTITY_LOGIN_PATH}?return=/` })
  const { url, parameters } = redirectTo(`${hub}${IDENTITY_AUTHORIZE_PATH}`, answer)
  const state = parameters.get('state')
  const isOurs =
    parameters.get('response_type') === 'code' &&
    parameters.get('app') === hubApp.appId &&
    parameters.get('client_id') === hubApp.clientId &&
    parameters.get('redirect_uri') === hubApp.callbackUrl &&
    parameters.get('code_challenge_method') === 'S256' &&
    parameters.has('code_challenge')
  if (!isOurs || !state) throw new DesktopError('refused')
  return { url: url.href, state }
}

/** Returns the hub's response to such a request: the application's callback with a one-time code; throws `DesktopError`. */
export async function askHub(
  host: DesktopHost,
  hub: Place,
  { url, state, callbackUrl }: { url: string; state: string; callbackUrl: string },
): Promise<string> {
  const answer = await ask(host, { ...pick(hub), method: 'GET', url })
  const { url: callback, parameters } = redirectTo(callbackUrl, answer)
  const isExact = parameters.size === 2 && parameters.get('state') === state && Boolean(parameters.get('code'))
  if (!isExact) throw new DesktopError('refused')
  return callback.href
}

/** Lets the application redeem the code and store its session; throws `DesktopError`. It cannot be cancelled early. */
export async function redeem(host: DesktopHost, { partition }: Place, callback: string): Promise<void> {
  const answer = await ask(host, { partition, method: 'GET', url: callback })
  if (answer.status >= 500 || answer.status === 429) throw new DesktopError('unreachable')
  if (answer.status >= 400) throw new DesktopError('refused')
}

const pick = ({ partition, signal }: Place) => ({ partition, signal })
