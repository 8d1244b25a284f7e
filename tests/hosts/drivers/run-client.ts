import { expect } from 'vitest'
import { listTools } from '../../support/mcp'
import { postForm, renewal } from '../../support/oauth-grant'
import type { Host, HostRun } from '../host'
import type { HostWorld } from '../world'

/** A released client, as a test drives it. */
export interface ReleasedClient {
  /** Starts to connect; returns the address that the client wants to open. */
  start(): Promise<URL>
  /** Passes the browser's redirect to the client, which connects. */
  comeBack(address: URL): Promise<unknown>
  listTools(): Promise<{ name: string }[]>
  /** Calls a tool; throws on any failure. */
  callTool(name: string, args: Record<string, unknown>): Promise<unknown>
  tokens(): Promise<ClientTokens>
  /** Replaces the access token with an expired one, and sets the stored expiry to the past. */
  expire(ended: string): Promise<unknown>
  /** Deletes the client's tokens and its connection. */
  forget(): Promise<unknown>
  /** The next address that the client wants to open; undefined when there is none within this time. */
  askedAgain(limitInMs: number): Promise<URL | undefined>
  stop(): Promise<unknown>
}

export interface ClientTokens {
  access_token: string
  refresh_token?: string
}

const ASKING_LIMIT_IN_MS = 15_000

/** The steps of a released client. */
export function runClient(host: Host, client: ReleasedClient, world: HostWorld): HostRun {
  const { origin, endpoint } = world
  const kept = { asked: new URL('nowhere:'), back: new URL('nowhere:') }
  const titled = (title: string) => ({ title: `${title} (${host.name} ${host.version})` })

  async function callAtOnce(calls: number) {
    const before = await client.tokens()
    await client.expire(await world.ended(before.access_token))
    await Promise.all(Array.from({ length: calls }, () => client.callTool('list-notes', {})))
    const after = await client.tokens()
    expect(after.refresh_token).toEqual(expect.any(String))
    expect(after.refresh_token).not.toBe(before.refresh_token)
  }

  /** The client refreshes twice. Then its first refresh request arrives again, as if it was delayed. */
  async function renewLate() {
    const { refresh_token: late = '' } = await client.tokens()
    await callAtOnce(1)
    await callAtOnce(1)
    const form = { ...renewal(late, kept.asked.searchParams.get('client_id') ?? ''), resource: endpoint }
    expect((await postForm(`${origin}/mcp/oauth/token`, form)).status).toBe(200)
    await callAtOnce(1)
  }

  /** Reconnects; the person approves all scopes except these. */
  async function connect(without: readonly string[] = []) {
    await client.forget()
    await client.comeBack(await world.agree(await client.start(), without))
  }

  async function workWithFewer() {
    await connect(['mcp:write'])
    await client.callTool('list-notes', {})
    const refused = client.callTool('create-note', titled('Not yet'))
    if (!host.asksForMore) return expect(refused).rejects.toThrow()
    // Some clients refuse the call and ask; others ask while the call waits.
    void refused.catch(() => {})
    const again = await client.askedAgain(ASKING_LIMIT_IN_MS)
    if (!again) throw new Error('it did not ask for more')
    // The existing connection can read. A request for write access alone would remove that.
    expect(again.searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']))
    await client.comeBack(await world.agree(again))
    await client.callTool('create-note', titled('Now'))
    await client.callTool('list-notes', {})
  }

  return {
    async discover() {
      kept.asked = await client.start()
      expect(kept.asked.href.split('?')[0]).toBe(`${origin}/mcp/oauth/authorize`)
      expect(kept.asked.searchParams.get('code_challenge_method')).toBe('S256')
    },
    client: async () => expect(kept.asked.searchParams.get('client_id')).toMatch(/^[\da-f-]{36}$/),
    async authorize() {
      kept.back = await world.agree(kept.asked)
      expect(kept.back.href.split('?')[0]).toBe(kept.asked.searchParams.get('redirect_uri'))
      expect(kept.back.searchParams.get('code')).toBeTruthy()
      expect(kept.back.searchParams.get('state')).toBe(kept.asked.searchParams.get('state'))
      expect(kept.back.searchParams.get('iss')).toBe(origin)
    },
    async token() {
      await client.comeBack(kept.back)
      expect(await client.tokens()).toMatchObject({
        access_token: expect.any(String),
        refresh_token: expect.any(String),
      })
    },
    list: async () =>
      expect((await client.listTools()).map(({ name }) => name)).toEqual(
        expect.arrayContaining(['list-notes', 'create-note', 'list-note-list']),
      ),
    async call() {
      const { title } = titled('By a client')
      await client.callTool('create-note', { title })
      expect(JSON.stringify(await client.callTool('list-notes', {}))).toContain(title)
      const filtered = { where: { title }, order: ['-updatedAt'] }
      expect(JSON.stringify(await client.callTool('list-note-list', filtered))).toContain(title)
      const none = { where: { title: `not ${title}` } }
      expect(JSON.stringify(await client.callTool('list-note-list', none))).not.toContain(title)
    },
    parallel: () => callAtOnce(4),
    refresh: () => callAtOnce(1),
    crossed: renewLate,
    fewer: workWithFewer,
    async revoked() {
      const dead = await client.tokens()
      await world.endConnections()
      const refused = client.callTool('list-notes', {}).then(
        () => 'answered',
        () => 'noticed',
      )
      const asked = client.askedAgain(ASKING_LIMIT_IN_MS).then(address => (address ? 'noticed' : refused))
      expect(await Promise.race([refused, asked])).toBe('noticed')
      expect((await listTools(endpoint, dead.access_token)).status).toBe(401)
      await connect()
      await client.callTool('list-notes', {})
    },
    stop: () => client.stop(),
  }
}
