import { expect } from 'vitest'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { assertionClaims, type ClientKey, makeClientKey, signAssertion } from '../support/client-assertion'
import { postForm } from '../support/oauth-grant'
import { register } from '../support/oauth-host'
import { freePort } from '../support/server'
import type { Discovered, Host, HostRun, Sequence } from './host'
import type { HostWorld } from './world'

interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
}

interface ServerMetadata {
  authorization_endpoint: string
  token_endpoint: string
  scopes_supported: string[]
  client_id_metadata_document_supported?: boolean
  token_endpoint_auth_methods_supported?: string[]
}

/** The state of a host between two steps. */
interface Kept {
  clientId: string
  /** The key that it signs its token requests with; missing for a public client. */
  key?: ClientKey
  found: Discovered
  server: ServerMetadata
  code: string
  verifier: string
  tokens: Tokens
}

interface SequenceRun extends HostRun {
  /** Connects with permission to delete. Returns the access token. */
  connectDeleting(): Promise<string>
  /** Deletes a note: the call waits for the person, runs once after they approve it, and is a new question afterwards. */
  deleteAfterApproval(): Promise<void>
}

/** Starts a host from its recorded requests, with this kind of client identification. It has sent no request yet. */
export async function startSequence(
  sequence: Sequence,
  client: Host['client'],
  world: HostWorld,
): Promise<SequenceRun> {
  const { origin, endpoint } = world
  const redirectUri = sequence.redirectUri(await freePort(), endpoint, client)
  const kept: Kept = {
    clientId: '',
    found: { challenged: '', resourceScopes: [], serverScopes: [] },
    server: { authorization_endpoint: '', token_endpoint: '', scopes_supported: [] },
    code: '',
    verifier: '',
    tokens: { access_token: '', refresh_token: '', scope: '' },
  }
  const send = (method: string, params?: unknown) =>
    sendMessage(sequence, endpoint, kept.tokens.access_token, method, params)
  const callTool = (name: string, args: unknown = {}) => send('tools/call', { name, arguments: args })

  async function discover() {
    const challenge = await probe(sequence, endpoint)
    const resource = await jsonOf(await fetch(challenge.resource_metadata ?? ''))
    expect(resource).toMatchObject({ resource: endpoint, authorization_servers: [origin] })
    const answer = await fetch(`${origin}/.well-known/oauth-authorization-server`, { headers: { accept: '*/*' } })
    kept.server = await jsonOf(answer)
    expect(kept.server).toMatchObject({ issuer: origin, code_challenge_methods_supported: ['S256'] })
    kept.found = {
      challenged: challenge.scope ?? '',
      resourceScopes: resource.scopes_supported,
      serverScopes: kept.server.scopes_supported,
    }
  }

  async function beKnown() {
    kept.clientId = client === 'document' ? await show() : await registerOnce()
    // A host with a document uses it whenever the server supports documents, and then does not register.
    const isOffered = kept.server.client_id_metadata_document_supported ?? false
    if (sequence.document) expect(isOffered).toBe(client === 'document')
  }

  async function show(): Promise<string> {
    if (!sequence.document) throw new Error('there is no document')
    const { url, ...document } = sequence.document(endpoint)
    const method = document.token_endpoint_auth_method ?? 'none'
    expect(kept.server.token_endpoint_auth_methods_supported).toContain(method)
    world.publish(url, document)
    if (method !== 'private_key_jwt') return url
    kept.key = await makeClientKey(String(document.token_endpoint_auth_signing_alg))
    world.publish(String(document.jwks_uri), { keys: [kept.key.jwk] })
    return url
  }

  async function registerOnce(): Promise<string> {
    const metadata = sequence.registration?.(redirectUri) ?? {}
    const answer = await register(origin, metadata)
    const registered = await jsonOf(answer, 201)
    expect(registered).toMatchObject({
      token_endpoint_auth_method: 'none',
      redirect_uris: metadata.redirect_uris,
      grant_types: metadata.grant_types,
    })
    expect(registered).not.toHaveProperty('client_secret')
    if (sequence.registersAgain) {
      const again = await jsonOf(await register(origin, metadata), 201)
      expect(again.client_id).toBe(registered.client_id)
    }
    return registered.client_id
  }

  /** Opens the consent page for these scopes and stores the resulting code. */
  async function authorize(challenged: string, without: readonly string[] = [], ticked: readonly string[] = []) {
    kept.verifier = createCodeVerifier()
    const state = 'MTIz/+ab=='
    const scope = sequence.scope({ ...kept.found, challenged })
    const asked = new URL(kept.server.authorization_endpoint)
    asked.search = new URLSearchParams({
      response_type: 'code',
      client_id: kept.clientId,
      redirect_uri: redirectUri,
      code_challenge: toCodeChallenge(kept.verifier),
      code_challenge_method: 'S256',
      state,
      ...(scope ? { scope } : {}),
      ...(scope?.includes('offline_access') ? { prompt: 'consent' } : {}),
      ...(sequence.revision > '2025-03-26' ? { resource: endpoint } : {}),
    }).toString()
    // The box for writing is empty for hosts that name no scope, and for those that may only read until now.
    const writes = without.includes('mcp:write') ? [] : ['mcp:write']
    const back = await world.agree(asked, without, [...writes, ...ticked])
    expect(back.href.split('?')[0]).toBe(redirectUri)
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state, iss: origin })
    kept.code = back.searchParams.get('code') ?? ''
  }

  const proof = async () => {
    const { key, clientId, server } = kept
    return key ? signAssertion(key, assertionClaims(clientId, server.token_endpoint)) : {}
  }

  const askForTokens = async (form: Record<string, string>) =>
    postForm(
      kept.server.token_endpoint,
      {
        ...form,
        ...(sequence.namesClient === false ? {} : { client_id: kept.clientId }),
        ...(sequence.namesResource === false ? {} : { resource: endpoint }),
        ...(await proof()),
      },
      { accept: 'application/json', ...sequence.tokenHeaders?.(kept.clientId) },
    )

  async function exchange() {
    const form = { grant_type: 'authorization_code', code: kept.code, redirect_uri: redirectUri }
    const answer = await askForTokens({ ...form, code_verifier: kept.verifier })
    kept.tokens = await jsonOf(answer)
    // "Keep this app connected" is checked by default, because the host registered for refresh tokens.
    expect(kept.tokens).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) })
    expect(kept.tokens.refresh_token).toEqual(expect.any(String))
  }

  async function renew(refreshToken: string): Promise<Tokens> {
    const scope = sequence.refreshScope?.(kept.tokens.scope)
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...(scope ? { scope } : {}) }
    return jsonOf(await askForTokens(form))
  }

  /** Sends several calls with an expired token. Each one refreshes as this host does and is sent again. */
  async function callAtOnce(calls: number) {
    const { refresh_token } = kept.tokens
    kept.tokens = { ...kept.tokens, access_token: await world.ended(kept.tokens.access_token) }
    let shared: Promise<Tokens> | undefined
    const renewal = () => (sequence.renewal === 'each' ? renew(refresh_token) : (shared ??= renew(refresh_token)))
    const answers = await Promise.all(
      Array.from({ length: calls }, async () => {
        const refused = await callTool('list-notes')
        expect([refused.status, challengeOf(refused).error]).toEqual([401, 'invalid_token'])
        kept.tokens = await renewal()
        return callTool('list-notes')
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(calls).fill(200))
    expect(kept.tokens.refresh_token).not.toBe(refresh_token)
  }

  /** Refresh requests arrive out of order: the latest to arrive contains the oldest token and receives the newest. */
  async function renewLate() {
    const { refresh_token: late } = kept.tokens
    for (const _generation of [1, 2]) kept.tokens = await renew(kept.tokens.refresh_token)
    const { refresh_token: newest } = kept.tokens
    kept.tokens = await renew(late)
    expect(kept.tokens.refresh_token).toBe(newest)
    await resultOf(await callTool('list-notes'))
  }

  async function workWithFewer() {
    await authorize(kept.found.challenged, ['mcp:write'])
    await exchange()
    expect(kept.tokens.scope.split(' ')).not.toContain('mcp:write')
    await resultOf(await callTool('list-notes'))
    const refused = await callTool('create-note', { title: 'Not yet' })
    const { error, scope = '' } = challengeOf(refused)
    expect([refused.status, error]).toEqual([403, 'insufficient_scope'])
    // Hosts request exactly these scopes next, so the list must include the scopes that they already have.
    const opens = kept.tokens.scope.split(' ').filter(name => name !== 'offline_access')
    expect(scope.split(' ')).toEqual(expect.arrayContaining([...opens, 'mcp:write']))
    if (!sequence.asksForMore) return
    await authorize(scope)
    await exchange()
    await resultOf(await callTool('create-note', { title: 'Now' }))
    await resultOf(await callTool('list-notes'))
  }

  return {
    discover,
    client: beKnown,
    authorize: () => authorize(kept.found.challenged),
    token: exchange,
    async list() {
      await greet(sequence, send)
      const { tools } = await resultOf(await send('tools/list'))
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(['list-notes', 'create-note']),
      )
      // A validator for one dialect refuses schemas that name another: draft-07 in SDK 1.x, 2020-12 in Claude Code
      // (vybestack/llxprt-code#1902, anthropics/claude-code#90549). Without a name, each uses its default.
      expect(JSON.stringify(tools)).not.toContain('$schema')
    },
    async call() {
      const { structuredContent } = await resultOf(await callTool('create-note', { title: 'By a host' }))
      expect(structuredContent).toMatchObject({ note: { title: 'By a host' } })
      const listed = await resultOf(await callTool('list-notes'))
      expect(JSON.stringify(listed.structuredContent)).toContain('By a host')
    },
    async connectDeleting() {
      await discover()
      await beKnown()
      await authorize(kept.found.challenged, [], ['delete'])
      await exchange()
      return kept.tokens.access_token
    },
    async deleteAfterApproval() {
      const { structuredContent } = await resultOf(await callTool('create-note', { title: 'To delete' }))
      const deleteNote = async () => {
        const { result } = await jsonOf(await callTool('delete-note', { id: structuredContent.note.id }))
        return { isError: result.isError ?? false, ...result._meta?.['fairway/approval'] }
      }
      const waiting = await deleteNote()
      expect(waiting).toMatchObject({ isError: true, state: 'waiting', url: `${origin}/approvals/${waiting.id}` })
      expect(await deleteNote()).toEqual(waiting)
      await world.approve(waiting.url)
      expect(await deleteNote()).toEqual({ isError: false })
      const again = await deleteNote()
      expect([again.state, again.id === waiting.id]).toEqual(['waiting', false])
    },
    parallel: () => callAtOnce(5),
    refresh: () => callAtOnce(1),
    crossed: renewLate,
    fewer: workWithFewer,
    async revoked() {
      await world.endConnections()
      const refused = await callTool('list-notes')
      expect([refused.status, challengeOf(refused).error]).toEqual([401, 'invalid_token'])
      const form = { grant_type: 'refresh_token', refresh_token: kept.tokens.refresh_token }
      expect(await jsonOf(await askForTokens(form), 400)).toMatchObject({ error: 'invalid_grant' })
      await authorize(kept.found.challenged)
      await exchange()
      await resultOf(await callTool('list-notes'))
    },
    stop: async () => {},
  }
}

const firstMessage = (revision: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'host', version: '1' } },
})

/** Sends the first request without a token; returns the parameters of the challenge. */
async function probe({ probe: method, revision }: Sequence, endpoint: string) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const message = { headers, body: JSON.stringify(firstMessage(revision)) }
  const answer = await fetch(endpoint, {
    method,
    ...(method === 'POST' ? message : { headers: { accept: headers.accept } }),
  })
  expect(answer.status).toBe(401)
  return challengeOf(answer)
}

/** The parameters of a challenge. */
const challengeOf = (answer: Response): Partial<Record<string, string>> =>
  Object.fromEntries(
    [...(answer.headers.get('www-authenticate') ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

function sendMessage({ revision }: Sequence, endpoint: string, token: string, method: string, params?: unknown) {
  const isNotification = method.startsWith('notifications/')
  return fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      // This revision and earlier ones do not have the header.
      ...(revision > '2025-03-26' && method !== 'initialize' ? { 'mcp-protocol-version': revision } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      method,
      ...(params ? { params } : {}),
      ...(isNotification ? {} : { id: 1 }),
    }),
  })
}

async function greet({ revision }: Sequence, send: (method: string, params?: unknown) => Promise<Response>) {
  const { protocolVersion } = await resultOf(await send('initialize', firstMessage(revision).params))
  expect(protocolVersion).toBe(revision)
  expect((await send('notifications/initialized')).status).toBe(202)
}

/** The body of a response with this status; throws with status and body otherwise. */
async function jsonOf(answer: Response, status = 200) {
  const text = await answer.text()
  expect([answer.status, text]).toEqual([status, expect.any(String)])
  return JSON.parse(text)
}

async function resultOf(answer: Response) {
  const { result, error } = await jsonOf(answer)
  expect([error, result?.isError ?? false, result]).toEqual([undefined, false, expect.any(Object)])
  return result
}
