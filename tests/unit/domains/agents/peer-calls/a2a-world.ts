import { z } from 'zod'
import { type Action, defineAction } from '#fairway/server/domains/actions'
import { answerPeerCall } from '#fairway/server/domains/agents'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { createTestApp, type TestApp } from '../../../../support/app'
import { type PeerTokenChange, peerToken } from '../../../../support/hub'
import { A2A_SECRET } from '../../../../support/secrets'
import deleteNote from '~~/server/actions/notes/delete-note'
import { freePort } from '../../../../support/server'
import { serveHandlers } from '../../../../support/web-handlers'

export const MAIL = 'https://mail.example.test'

/** Records what the actions ran, in order. */
export const ran: unknown[] = []

const declared = {
  'who-am-i': defineAction({
    description: 'Says who calls.',
    readOnly: true,
    input: z.object({}),
    run: (_input, { session, orgId, caller }) => ({ userId: session.userId, orgId, role: session.orgRole, caller }),
  }),
  write: defineAction({
    description: 'Writes.',
    input: z.object({ text: z.string().max(5) }),
    run: ({ text }) => void ran.push(text),
  }),
  open: defineAction({
    description: 'Is for everybody.',
    public: true,
    readOnly: true,
    input: z.object({}),
    run: (_input, { session }) => ({ isPerson: session !== null }),
  }),
  hidden: defineAction({ description: 'Is not served.', http: false, input: z.object({}), run: () => null }),
  guarded: defineAction({
    description: 'Is for owners.',
    destructive: true,
    guard: ({ session }) => session.orgRole === null,
    input: z.object({}),
    run: () => null,
  }),
  small: defineAction({ description: 'Takes little.', maxBodyBytes: 64, input: z.looseObject({}), run: () => null }),
  'delete-note': deleteNote,
  wipe: defineAction({
    description: 'Deletes a thing for good.',
    destructive: true,
    input: z.object({ name: z.string().max(400) }),
    run: ({ name }, { orgId }) => {
      ran.push({ name, orgId })
      if (name === 'stuck') throw new AppError('conflict', { detail: 'Somebody else has it.' })
      return { gone: name }
    },
  }),
}

export const actions: ReadonlyMap<string, Action> = new Map(
  Object.entries(declared).map(([name, action]) => [name, action as unknown as Action]),
)

/** Starts an app that serves the endpoint for other applications on a free port. */
export async function startReceiver(env: Record<string, string> = {}) {
  const port = await freePort()
  const test: TestApp = await createTestApp({
    FW_BASE_URL: `http://localhost:${port}`,
    A2A_SECRET,
    FW_RATE_LIMITS: 'on',
    ...env,
  })
  const stops = [() => test.close()]
  /** Starts another instance over the same database. */
  async function serve(app: App = test.app, listenOn?: number): Promise<string> {
    const routes = { '/_fw/a2a': defineMethods({ POST: event => answerPeerCall(event, actions) }) }
    const server = await serveHandlers(app, { routes }, listenOn)
    stops.unshift(server.stop)
    return server.origin
  }
  const origin = await serve()
  const { baseUrl } = test.app.config

  const token = (subject: string, change: PeerTokenChange = {}, issuer = MAIL) =>
    peerToken({ audience: baseUrl, issuer, subject }, change)

  async function post(
    body: unknown,
    credential: string | undefined,
    { headers = {}, at = origin }: { headers?: Record<string, string>; at?: string } = {},
  ) {
    const answer = await fetch(`${at}/_fw/a2a`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

  return {
    test,
    app: test.app,
    origin,
    baseUrl,
    serve,
    token,
    post,
    async stop() {
      for (const stop of stops) await stop()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
