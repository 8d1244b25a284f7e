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

/** A server with a person who is signed in, as hosts meet them. */
export interface HostWorld {
  origin: string
  /** The address that a host is given. */
  endpoint: string
  /**
   * The page at the authorization endpoint, agreed to as it stands but for the fields left out; gives the address that the
   * host is sent back to.
   */
  agree(address: URL | string, without?: readonly string[]): Promise<URL>
  /** Ends all connections, as a person does in the settings. */
  endConnections(): Promise<void>
  /** The same access token, over since a second. */
  ended(token: string): Promise<string>
  /** Lays out the metadata documents of hosts, where documents are offered. */
  publish(document: { url: string } & Record<string, unknown>): void
  stop(): Promise<unknown>
}

/** The built server on this computer, which offers no documents: it is not at an https address. */
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
 * The routes of the server in this process, which offer documents. Those of hosts lie on public https servers, which a test has
 * none of: the transport is replaced, and all that reads the answer is not.
 */
export async function documentWorld(): Promise<HostWorld> {
  const origin = `http://localhost:${await freePort()}`
  const { app, close } = await createTestApp({
    FW_BASE_URL: origin,
    FW_RATE_LIMITS: 'off',
    FW_CLIENT_DOCUMENTS: 'on',
  })
  const documents = new Map<string, Record<string, unknown>>()
  app.memo('guarded-fetch', () => toTransport(documents))
  const served = await serveHandlers(app, { routes })
  const person = await somebody(origin)
  return {
    ...toWorld(origin, app, person),
    publish: ({ url, ...document }) => void documents.set(url, { client_id: url, ...document }),
    async stop() {
      await served.stop()
      await close()
    },
  }
}

/** What an access token says of its grant. */
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
  (documents: ReadonlyMap<string, Record<string, unknown>>): GuardedFetch =>
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
    async agree(address, without = []) {
      const { pathname, search } = new URL(address)
      const page = await person.get(pathname + search)
      if (page.status !== 200) throw new Error(`${page.status} ${page.headers.get('location')} ${await page.text()}`)
      // The person keeps the app connected although the page may warn of it.
      const ticked = { ...formOf(await page.text()), offline_access: 'on' }
      const fields = Object.entries(ticked).filter(([name]) => !without.includes(name))
      const form = { ...Object.fromEntries(fields), decision: 'approve' }
      const answer = await person.post(pathname + search, { form })
      // An address of an application's own kind is a link that the person follows.
      const link = /<a class="button" href="([^"]+)"/.exec(await answer.text())?.[1]?.replaceAll('&amp;', '&')
      return new URL(answer.headers.get('location') ?? link ?? 'nowhere:')
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
