import { createCodeVerifier, toCodeChallenge } from '#server/foundation/crypto/pkce'
import type { TestBrowser } from './http'

export const AUTHORIZE = '/mcp/oauth/authorize'
export const WEB_REDIRECT = 'https://host.example.com/callback'

/** Posts a registration as a host does. */
export const register = (origin: string, metadata: unknown) =>
  fetch(`${origin}/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })

/** Registers a host and gives its client_id. */
export async function registeredClient(origin: string, metadata: Record<string, unknown> = {}): Promise<string> {
  const answer = await register(origin, { client_name: 'Test host', redirect_uris: [WEB_REDIRECT], ...metadata })
  if (answer.status !== 201) throw new Error(await answer.text())
  return (await answer.json()).client_id
}

/** The parameters of a good authorization request; undefined takes one away. */
export function authorizeQuery(clientId: string, differing: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: WEB_REDIRECT,
    code_challenge: toCodeChallenge(createCodeVerifier()),
    code_challenge_method: 'S256',
    scope: 'mcp:read mcp:write',
    state: 'a state & more=1',
    ...differing,
  }
  const sent = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `?${new URLSearchParams(sent)}`
}

/** The page at the authorization endpoint. */
export const authorizePage = (browser: TestBrowser, query: string) => browser.get(AUTHORIZE + query)

/** The fields that a browser would send from the consent page without anything being changed on it. */
export function formOf(html: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [input] of html.matchAll(/<input [^>]*>/g)) {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]
    if (attribute('type') === 'checkbox' && !/ checked/.test(input)) continue
    fields[attribute('name') ?? ''] = (attribute('value') ?? '').replaceAll('&amp;', '&')
  }
  const chosen = /<select [^>]*name="(\w+)".*?<option value="([^"]*)"/.exec(html)
  if (chosen?.[1]) fields[chosen[1]] = chosen[2] ?? ''
  return fields
}

/** Opens the consent page and decides; gives the answer to the decision. */
export async function decide(
  browser: TestBrowser,
  query: string,
  decision: 'approve' | 'deny' = 'approve',
  differing: Record<string, string> = {},
): Promise<Response> {
  const page = await authorizePage(browser, query)
  if (page.status !== 200) throw new Error(`${page.status} ${page.headers.get('location')} ${await page.text()}`)
  return browser.post(AUTHORIZE + query, { form: { ...formOf(await page.text()), decision, ...differing } })
}

/** What a redirect brings to the host. */
export const broughtBy = (answer: Response) =>
  Object.fromEntries(new URL(answer.headers.get('location') ?? 'none:').searchParams)
