import { hostname } from 'node:os'
import { createMutex } from '../../shared/mutex'
import { MOST_SECONDS, openBrowser, startCallbackServer, timeoutInMs } from '../browser'
import { askForChallenge, readResourceMetadata, readServerMetadata } from './discovery-steps'
import { type KeptTokens, readTokens, tokenFile, tokenFolder, withTokenLock, writeTokens } from './token-file'
import {
  authorize,
  authorizeDevice,
  type Party,
  refresh,
  registerClient,
  type ShownCode,
  spentBy,
  type Tokens,
  wantedScope,
} from './token-steps'

const EARLY_IN_MS = 60_000

export interface TokenSource {
  /** Returns a token that should be accepted; signs in when there is none. */
  get(): Promise<string>
  /** Returns a replacement for a refused token. */
  replace(refused: string): Promise<string>
}

/** The tokens of a person, who can also sign in again. */
interface OwnTokenSource extends TokenSource {
  /** Signs in, also where there are tokens already, and stores the new ones. */
  signIn(): Promise<void>
}

export interface TokenSourceInput {
  url: URL
  file: string
  clientName: string
  signInLimitInMs: number
  /** Signs in by a code that the person types elsewhere, because this machine has no browser. */
  byDevice?: boolean
  /** Shows a message to the person; never writes to standard output. */
  say(line: string): void
}

/**
 * Returns access tokens for one endpoint: from the file, by refreshing, or by a sign-in in the browser; one request at a time on
 * this machine.
 */
export function createTokenSource(input: TokenSourceInput): OwnTokenSource {
  const mutex = createMutex()
  const next = (isGood: (tokens: KeptTokens) => boolean): Promise<string> =>
    mutex(input.file, () =>
      withTokenLock(input.file, async () => {
        // Another process may have refreshed the tokens while this one waited.
        const tokens = await tokensFor(input)
        return tokens && isGood(tokens) ? tokens.accessToken : renew(input, tokens)
      }),
    )
  const isFresh = ({ expiresAt }: KeptTokens) => expiresAt === undefined || expiresAt - EARLY_IN_MS > Date.now()
  return {
    async get() {
      const tokens = await tokensFor(input)
      return tokens && isFresh(tokens) ? tokens.accessToken : next(isFresh)
    },
    replace: refused => next(tokens => isFresh(tokens) && tokens.accessToken !== refused),
    signIn: () =>
      mutex(input.file, () =>
        withTokenLock(input.file, async () => void (await signIn(input, await tokensFor(input)))),
      ),
  }
}

interface SignInOptions {
  device: boolean
  timeout?: string
}

/** Returns the source of the person on this machine, from the options of a command; `say` as above. */
export function ownTokens(url: URL, { device, timeout }: SignInOptions, say: TokenSourceInput['say']): OwnTokenSource {
  return createTokenSource({
    url,
    file: tokenFile(tokenFolder(process.env), url),
    clientName: `Command line on ${hostname()}`,
    // A device waits as long as its code is valid.
    signInLimitInMs: timeoutInMs(timeout, device ? MOST_SECONDS : undefined),
    byDevice: device,
    say,
  })
}

/** Reads the tokens for this endpoint from the file; never sends tokens of another endpoint. */
async function tokensFor({ file, url }: TokenSourceInput): Promise<KeptTokens | undefined> {
  const tokens = await readTokens(file)
  return tokens?.url === url.href ? tokens : undefined
}

async function renew(input: TokenSourceInput, tokens: KeptTokens | undefined): Promise<string> {
  const renewed = tokens?.refreshToken ? await tryRefresh(input, tokens, tokens.refreshToken) : tokens
  if (typeof renewed === 'string') return renewed
  try {
    return await signIn(input, renewed)
  } catch (error) {
    // The server may have deleted this client: the next attempt registers again.
    await writeTokens(input.file, null)
    throw error
  }
}

/** Returns a new access token, or the tokens whose client can sign in again; undefined when the server does not know that client. */
async function tryRefresh(input: TokenSourceInput, tokens: KeptTokens, refreshToken: string) {
  try {
    const server = await readServerMetadata({ resource: tokens.url, authorization_servers: [tokens.issuer] })
    const party = { server, clientId: tokens.clientId, resource: input.url }
    return await keep(input, party, await refresh(party, refreshToken))
  } catch (error) {
    const spent = spentBy(error)
    if (!spent) throw error
    await writeTokens(input.file, null)
    input.say('The connection was ended. Sign in again to go on.')
    return spent === 'invalid_client' ? undefined : tokens
  }
}

async function signIn(input: TokenSourceInput, before: KeptTokens | undefined): Promise<string> {
  const { url, say } = input
  const challenge = await askForChallenge(url)
  const resource = await readResourceMetadata(url, challenge)
  const server = await readServerMetadata(resource)
  // A client that was registered earlier may lack the grant type of devices.
  const known = before?.issuer === server.issuer && !input.byDevice ? before.clientId : undefined
  const clientId = known ?? (await registerClient(server, input.clientName))
  const party = { server, clientId, resource: url }
  const scope = wantedScope(server, resource, challenge.scope)
  const finish = (tokens: Tokens) => {
    say(`Connected to ${url.host}.`)
    return keep(input, party, tokens)
  }
  if (input.byDevice)
    return finish(await authorizeDevice(party, scope, input.signInLimitInMs, shown => say(inWords(shown))))
  const callback = await startCallbackServer(input.signInLimitInMs)
  try {
    const tokens = await authorize(party, scope, callback, async address => {
      const isOpen = await openBrowser(address)
      say(`${isOpen ? 'Go on in the browser that has opened, or open' : 'Open'} this address to connect:\n${address}`)
    })
    return await finish(tokens)
  } finally {
    await callback.close()
  }
}

const inWords = ({ code, address, complete }: ShownCode): string =>
  `Open ${address} on any device and enter the code ${code}.${complete ? `\nOr open ${complete} and compare the code.` : ''}`

async function keep({ file, url }: TokenSourceInput, { server, clientId }: Party, tokens: Tokens) {
  await writeTokens(file, { url: url.href, issuer: server.issuer, clientId, ...tokens })
  return tokens.accessToken
}

/** A source that always returns the same token, for servers with static tokens. */
export function staticTokenSource(token: string): TokenSource {
  return {
    get: async () => token,
    replace: () => Promise.reject(new Error('The server does not accept the static token.')),
  }
}
