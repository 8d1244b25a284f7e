import * as oauth from 'oauth4webapi'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { startCallbackServer, openBrowser } from '../browser'
import {
  askForChallenge,
  fail,
  INITIALIZE,
  postMessage,
  readResourceMetadata,
  readServerMetadata,
  requestOptions,
} from './discovery-steps'
import { describeAnswer, printable, StepFailure } from './endpoint'
import { authorize, refresh, registerClient, revoke, type Tokens, wantedScope } from './token-steps'

interface ProbeInput {
  url: URL
  /** The client metadata document to present to the server, for hosts that have one. */
  document?: URL
  /** False stops before the sign-in. */
  isInteractive: boolean
  signInLimitInMs: number
  say(line: string): void
}

/**
 * Runs all steps of a host, with one output line for each, and returns true when all succeed. Names the failed step and the
 * expected response.
 */
export async function probe(input: ProbeInput): Promise<boolean> {
  const { say, url } = input
  say(`Probing ${url.href}`)
  try {
    await walk(input)
    return true
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error
    say(`✗ ${error.step}`)
    say(`    expected  ${error.expected}`)
    say(`    got       ${error.got}`)
    return false
  }
}

async function walk({ url, document, say, isInteractive, signInLimitInMs }: ProbeInput): Promise<void> {
  const passed = (text: string) => say(`✓ ${text}`)
  const challenge = await askForChallenge(url)
  passed(`challenge: 401${challenge.scope ? `, scope ${challenge.scope}` : ''}`)
  if (!challenge.resourceMetadataUrl) say('  (the challenge names no resource_metadata; some hosts need it)')
  const resource = await readResourceMetadata(url, challenge)
  passed(`resource metadata: ${resource.resource}`)
  const server = await readServerMetadata(resource)
  passed(`server metadata: issuer ${server.issuer}`)
  noteOptions(server, say)
  if (document) {
    await presentDocument(server, document, url)
    passed(`metadata document: the server has looked ${document.href} up`)
  }
  const clientId = await registerClient(server, 'Connection probe')
  passed(`client registered: ${clientId}`)
  if (!isInteractive) return say('Stopped before the sign-in (--no-browser). Everything up to here works.')
  const party = { resource: url, server, clientId }
  const callback = await startCallbackServer(signInLimitInMs)
  try {
    const scope = wantedScope(server, resource, challenge.scope)
    const tokens = await authorize(party, scope, callback, address => show(address, say)).catch((error: unknown) =>
      fail('the sign-in in the browser', 'the browser to come back with a code', error),
    )
    passed(`authorized, with iss and PKCE; token for ${tokens.scope ?? 'the default scopes'}`)
    await useTokens(party, tokens, say)
  } finally {
    await callback.close()
  }
}

async function show(address: string, say: (line: string) => void): Promise<void> {
  const isOpen = await openBrowser(address)
  say(`  ${isOpen ? 'A browser has opened. Or open' : 'Open'} this address:\n  ${address}`)
}

async function useTokens(
  party: Parameters<typeof refresh>[0],
  tokens: Tokens,
  say: (line: string) => void,
): Promise<void> {
  const passed = (text: string) => say(`✓ ${text}`)
  const renewed = await renew(party, tokens, say)
  const tools = await listTools(party.resource, renewed.accessToken)
  passed(
    `tools/list: ${tools.length} tools${tools.length > 0 ? ` (${tools.slice(0, 5).join(', ')}${tools.length > 5 ? ', …' : ''})` : ''}`,
  )
  await revoke(party, renewed.refreshToken ?? renewed.accessToken)
  const after = await postMessage(party.resource, INITIALIZE, renewed.accessToken)
  if (after.status !== 401) throw new StepFailure('a call after revocation', '401', await describeAnswer(after))
  passed('revoked: the next call is answered 401')
}

async function renew(
  party: Parameters<typeof refresh>[0],
  tokens: Tokens,
  say: (line: string) => void,
): Promise<Tokens> {
  if (!tokens.refreshToken) {
    say('  (no refresh token: “keep this app connected” was not ticked, or the server offers no offline_access)')
    return tokens
  }
  const renewed = await refresh(party, tokens.refreshToken)
  if (renewed.refreshToken === tokens.refreshToken)
    throw new StepFailure('refresh', 'another refresh token (rotation)', 'the same one')
  say('✓ refreshed, with rotation')
  return renewed
}

async function listTools(url: URL, accessToken: string): Promise<string[]> {
  const client = new Client({ name: 'fw', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  try {
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: { token: async () => accessToken } }))
    const { tools } = await client.listTools()
    return tools.map(({ name }) => name)
  } catch (error) {
    throw fail('tools/list', 'a list of tools', error)
  } finally {
    await client.close()
  }
}

const OPTIONS = {
  authorization_response_iss_parameter_supported: 'iss in the answer protects against mix-up',
  revocation_endpoint: 'hosts can end their own access',
}

function noteOptions(server: object, say: (line: string) => void): void {
  for (const [name, use] of Object.entries(OPTIONS)) {
    if (!Reflect.get(server, name)) say(`  (${name} is missing: ${use})`)
  }
  const isAdvertised = Reflect.get(server, 'client_id_metadata_document_supported') === true
  say(
    `  (metadata documents are ${isAdvertised ? 'advertised: hosts that have one do not register' : 'not advertised: hosts register themselves'})`,
  )
}

const documentSchema = z.object({ redirect_uris: z.array(z.string()).min(1) })
const LONGEST = 600

/**
 * Presents a client's metadata document to the server as a host does, signed out. Passes when the server accepts it, which proves
 * that the server can fetch it. Connects nothing.
 */
async function presentDocument(server: oauth.AuthorizationServer, document: URL, resource: URL): Promise<void> {
  const redirectUri = await readRedirect(document)
  const url = new URL(server.authorization_endpoint ?? '')
  const query = {
    response_type: 'code',
    client_id: document.href,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier()),
    code_challenge_method: 'S256',
    resource: resource.href,
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const step = `show ${document.href} at ${server.authorization_endpoint}`
  const expected = 'a way to the sign-in page'
  const { signal } = requestOptions(url)
  const answer = await fetch(url, { redirect: 'manual', signal: signal() }).catch((error: unknown) =>
    fail(step, expected, error),
  )
  if (answer.status >= 400) throw new StepFailure(step, expected, await textOf(answer))
}

async function readRedirect(document: URL): Promise<string> {
  const step = `GET ${document.href}`
  const expected = 'a metadata document with redirect_uris'
  try {
    const { signal } = requestOptions(document)
    const answer = await fetch(document, { redirect: 'manual', signal: signal() })
    if (answer.status !== 200) throw new StepFailure(step, expected, await describeAnswer(answer))
    const { redirect_uris: redirects } = documentSchema.parse(await answer.json())
    return redirects[0] ?? ''
  } catch (error) {
    throw fail(step, expected, error)
  }
}

/** Returns the status and the visible text of a page. */
async function textOf(answer: Response): Promise<string> {
  const page = await answer.text()
  const [, body = page] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? []
  return `${answer.status}: ${printable(body.replaceAll(/<[^>]*>/g, ' '), LONGEST)}`
}
