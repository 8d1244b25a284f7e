import { defineEventHandler } from 'h3'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import createNote from '~~/server/actions/notes/create-note'
import listNotes from '~~/server/actions/notes/list-notes'
import { answerMcpRequest } from '#fairway/server/domains/mcp'
import { signAccessToken } from '#fairway/server/domains/oauth-server/access-token'
import type { App } from '#fairway/server/kernel/app-context'
import { type GuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import operationRoute from '#fairway/server/mounted/operation'
import authRoute from '#fairway/server/routes/_fw/auth/[...path]'
import serverMetadataRoute from '#fairway/server/routes/.well-known/oauth-authorization-server/index'
import resourceMetadataRoute from '#fairway/server/routes/.well-known/oauth-protected-resource/mcp'
import authorizeRoute from '#fairway/server/routes/mcp/oauth/authorize'
import registerRoute from '#fairway/server/routes/mcp/oauth/register'
import tokenRoute from '#fairway/server/routes/mcp/oauth/token'
import { createTestApp } from '../support/app'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { instanceBeside } from '../support/oauth-grant'
import { formOf } from '../support/oauth-host'
import { borrowServer, freePort } from '../support/server'
import { serveHandlers } from '../support/web-handlers'

/** A server with a signed-in person, as hosts see it. */
export interface HostWorld {
  origin: string
  /** The address that a person enters in a host. */
  endpoint: string
  /**
   * Submits the consent page with its default values, without these fields and with those boxes ticked. Returns the address of the
   * redirect back to the host.
   */
  agree(address: URL | string, without?: readonly string[], ticked?: readonly string[]): Promise<URL>
  /** Approves the call of a host on the page at this address. */
  approve(address: string): Promise<unknown>
  /** Ends all connections, as a person does in the settings. */
  endConnections(): Promise<void>
  /** The same access token, expired one second ago. */
  ended(token: string): Promise<string>
  /** Publishes JSON of a host at this address, if the server supports documents. */
  publish(url: string, content: object): void
  stop(): Promise<unknown>
}

/** The built server on this computer. It does not support documents, because it has no https address. */
export async function builtWorld(): Promise<HostWorld> {
  const server = await borrowServer()
  const app = await instanceBeside(server)
  const person = await somebody(server.origin)
  return {
    ...toWorld(server.origin, app, person),
    publish: () => {},
    async stop() {
      await app.db.close()
      await server.stop()
    },
  }
}

/**
 * The server's routes in this process, with support for documents. Hosts publish documents on https servers, which a test does
 * not have, so only the transport is replaced. The code that reads the response is real.
 */
export async function documentWorld(): Promise<HostWorld> {
  const origin = `http://localhost:${await freePort()}`
  const { app, close } = await createTestApp({
    FW_BASE_URL: origin,
    FW_RATE_LIMITS: 'off',
    FW_CLIENT_DOCUMENTS: 'on',
  })
  const documents = new Map<string, object>()
  app.memo('guarded-fetch', () => toTransport(documents))
  const served = await serveHandlers(app, { routes })
  const person = await somebody(origin)
  return {
    ...toWorld(origin, app, person),
    publish: (url, content) => void documents.set(url, content),
    async stop() {
      await served.stop()
      await close()
    },
  }
}

/** The claims of an access token that describe its grant. */
const claims = z.object({
  grant_id: z.string(),
  client_id: z.string(),
  sub: z.string(),
  email: z.string(),
  org_id: z.string(),
  scope: z.string(),
})

const declared = {
  actions: [
    { name: 'list-notes', group: 'notes', action: listNotes },
    { name: 'create-note', group: 'notes', action: createNote },
  ],
  resources: [],
  prompts: [],
  apps: [],
}

const routes = {
  '/mcp': defineEventHandler(event => answerMcpRequest(event, declared)),
  '/mcp/oauth/authorize': authorizeRoute,
  '/mcp/oauth/register': registerRoute,
  '/mcp/oauth/token': tokenRoute,
  '/.well-known/oauth-protected-resource/mcp': resourceMetadataRoute,
  '/.well-known/oauth-authorization-server': serverMetadataRoute,
  '/_fw/auth/**:path': authRoute,
  '/_fw/grants': operationRoute,
  '/_fw/grants/:id': operationRoute,
}

const toTransport =
  (documents: ReadonlyMap<string, object>): GuardedFetch =>
  async url => {
    const document = documents.get(url)
    if (!document) throw new GuardedFetchError('it could not be reached')
    return {
      status: 200,
      header: name => (name === 'content-type' ? 'application/json' : undefined),
      text: JSON.stringify(document),
    }
  }

async function somebody(origin: string): Promise<TestBrowser> {
  const browser = createBrowser(origin)
  await signUp(browser, { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' })
  return browser
}

function toWorld(origin: string, app: App, person: TestBrowser): Omit<HostWorld, 'publish' | 'stop'> {
  return {
    origin,
    endpoint: `${origin}/mcp`,
    async agree(address, without = [], more = []) {
      const { pathname, search } = new URL(address)
      const page = await person.get(pathname + search)
      if (page.status !== 200) throw new Error(`${page.status} ${page.headers.get('location')} ${await page.text()}`)
      // The person keeps the app connected even if the page warns about it.
      const ticked = {
        ...formOf(await page.text()),
        offline_access: 'on',
        ...Object.fromEntries(more.map(name => [name, 'on'])),
      }
      const fields = Object.entries(ticked).filter(([name]) => !without.includes(name))
      const form = { ...Object.fromEntries(fields), decision: 'approve' }
      const answer = await person.post(pathname + search, { form })
      // A redirect to a private-use scheme is a link that the person follows.
      const link = /<a class="button" href="([^"]+)"/.exec(await answer.text())?.[1]?.replaceAll('&amp;', '&')
      return new URL(answer.headers.get('location') ?? link ?? 'nowhere:')
    },
    async approve(address) {
      const { pathname } = new URL(address)
      const page = await person.get(pathname)
      const answer = await person.post(pathname, { form: { decision: 'approve' } })
      if (page.status !== 200 || answer.status !== 303) throw new Error(`${page.status} ${answer.status}`)
    },
    async endConnections() {
      const { grants } = await (await person.get('/_fw/grants')).json()
      for (const { id } of grants) await person.request(`/_fw/grants/${id}`, { method: 'DELETE' })
    },
    async ended(token) {
      const { grant_id, client_id, sub, email, org_id, scope } = claims.parse(decodeJwt(token))
      const subject = { grantId: grant_id, clientId: client_id, userId: sub, email, orgId: org_id }
      return (await signAccessToken(app, { ...subject, expiresAt: Date.now() - 1000 }, scope)).token
    },
  }
}
