import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import type { TestBrowser } from './http'
import { connectHost } from './mcp'
import { authorizeQuery, broughtBy, decide, registeredClient, WEB_REDIRECT } from './oauth-host'

/** A host that this person lets delete, and that cannot ask them. */
export async function connectDeletingHost(browser: TestBrowser, origin: string, clientId?: string) {
  const client = clientId ?? (await registeredClient(origin))
  const verifier = createCodeVerifier()
  const consent = authorizeQuery(client, { code_challenge: toCodeChallenge(verifier) })
  const { code = '' } = broughtBy(await decide(browser, consent, 'approve', { delete: 'on' }))
  const form = { grant_type: 'authorization_code', client_id: client, code, redirect_uri: WEB_REDIRECT }
  const body = new URLSearchParams({ ...form, code_verifier: verifier })
  const tokens = await (await fetch(`${origin}/mcp/oauth/token`, { method: 'POST', body })).json()
  return connectHost(origin, tokens.access_token)
}

/** A note that the host of this person wants to delete; the question waits at `path`. */
export async function askToDelete(browser: TestBrowser, origin: string, title = 'Old plans', clientId?: string) {
  const host = await connectDeletingHost(browser, origin, clientId)
  const { structuredContent } = await host.callTool({ name: 'create-note', arguments: { title } })
  const { id: noteId } = (structuredContent as { note: { id: string } }).note
  const deleteNote = () => host.callTool({ name: 'delete-note', arguments: { id: noteId } })
  const { _meta: meta } = await deleteNote()
  const { id, url } = (meta as { 'fairway/approval': { id: string; url: string } })['fairway/approval']
  return { noteId, deleteNote, id, path: new URL(url).pathname }
}
