import { createMutex } from '../../shared/mutex'
import { startCallbackServer, openBrowser } from '../browser'
import { askForChallenge, readResourceMetadata, readServerMetadata } from './discovery-steps'
import { type KeptTokens, readTokens, withTokenLock, writeTokens } from './token-file'
import { authorize, type Party, refresh, registerClient, spentBy, wantedScope } from './token-steps'

const EARLY_IN_MS = 60_000

export interface TokenSource {
  /** Returns a token that should be accepted; signs in when there is none. */
  get(): Promise<string>
  /** Returns a replacement for a refused token. */
  replace(refused: string): Promise<string>
}

export interface TokenSourceInput {
  url: URL
  file: string
  clientName: string
  signInLimitInMs: number
  /** Shows a message to the person; never writes to standard output. */
  say(line: string): void
}

/**
 * Returns access tokens for one endpoint: from the file, by refreshing, or by a sign-in in the browser; one request at a time on
 * this machine.
 */
export function createTokenSource(input: TokenSourceInput): TokenSource {
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
  }
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
  const known = before?.issuer === server.issuer ? before.clientId : undefined
  const clientId = known ?? (await registerClient(server, input.clientName))
  const party = { server, clientId, resource: url }
  const callback = await startCallbackServer(input.signInLimitInMs)
  try {
    const tokens = await authorize(party, wantedScope(server, resource, challenge.scope), callback, async address => {
      const isOpen = await openBrowser(address)
      say(`${isOpen ? 'Go on in the browser that has opened, or open' : 'Open'} this address to connect:\n${address}`)
    })
    say(`Connected to ${url.host}.`)
    return await keep(input, party, tokens)
  } finally {
    await callback.close()
  }
}

async function keep(
  { file, url }: TokenSourceInput,
  { server, clientId }: Party,
  tokens: Awaited<ReturnType<typeof refresh>>,
) {
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
