import { IDENTITY_AUTHORIZE_PATH, IDENTITY_LOGIN_PATH } from '../shared/paths'
import { ask, DesktopError } from './ask'
import type { HubApp } from './eligibility'
import type { DesktopHost, HostAnswer } from './host'
import type { Place } from './wire'

const isRedirect = ({ status }: HostAnswer): boolean => status === 302 || status === 303

/** Every parameter of an address once; undefined where one is repeated. */
function parametersOf(url: URL): Map<string, string> | undefined {
  const parameters = new Map(url.searchParams)
  return parameters.size === [...url.searchParams].length ? parameters : undefined
}

/** The address a redirect leads to, when it is exactly this endpoint with parameters; throws `DesktopError`. */
function redirectTo(endpoint: string, answer: HostAnswer): { url: URL; parameters: Map<string, string> } {
  if (answer.status >= 500 || answer.status === 429) throw new DesktopError('unreachable')
  if (!isRedirect(answer) || !answer.location || !URL.canParse(answer.location)) throw new DesktopError('refused')
  const url = new URL(answer.location)
  const parameters = parametersOf(url)
  const isExact = `${url.origin}${url.pathname}` === endpoint && !url.hash && !url.username && !url.password
  if (!isExact || !parameters) throw new DesktopError('refused')
  return { url, parameters }
}

/** Lets an application ask for a sign-in: its request to the hub, and the state it made; throws `DesktopError`. */
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

/** The hub's answer to such a request: the application's callback with a one-time code; throws `DesktopError`. */
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

/** Lets the application redeem the code itself and keep its own session; throws `DesktopError`. Nothing ends it early. */
export async function redeem(host: DesktopHost, { partition }: Place, callback: string): Promise<void> {
  const answer = await ask(host, { partition, method: 'GET', url: callback })
  if (answer.status >= 500 || answer.status === 429) throw new DesktopError('unreachable')
  if (answer.status >= 400) throw new DesktopError('refused')
}

const pick = ({ partition, signal }: Place) => ({ partition, signal })
