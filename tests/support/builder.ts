import type { RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { serveListener } from './web-server'

/** The keys that this service issues. Our output must never contain them. */
export const builderKeys = { privateKey: 'bpk-very-secret-private', publicKey: 'public0123456789' }

interface Asked {
  url?: string
  authorization?: string
  body: string
}

export interface BuilderService {
  origin: string
  /** The requests that its API has received. */
  requests: Asked[]
  stop(): Promise<void>
}

const json = (value: object) => (response: ServerResponse) => response.end(JSON.stringify(value))

/** The API's possible responses, by name. */
const answers: Record<string, (response: ServerResponse) => unknown> = {
  good: json({ wsUrl: 'wss://browser.example.test/devtools/abc', extra: true }),
  'own-session': json({ wsUrl: 'ws://127.0.0.1:9/x', sessionId: 'theirs' }),
  'no-ws-url': json({ ok: true }),
  'bad-ws-url': json({ wsUrl: 'https://browser.example.test' }),
  broken: response => response.writeHead(503).end(`${builderKeys.privateKey} is what you sent`),
  'not-json': response => response.end(builderKeys.privateKey),
  redirect: response => response.writeHead(307, { location: '/codegen/get-browser-connection?again' }).end(),
  huge: json({ wsUrl: `wss://x/${'a'.repeat(300 * 1024)}` }),
  dropped: response => response.destroy(),
  silent: () => {},
}

/** A stand-in for the builder service, with its page for connecting a command line and its API for browsers. */
export async function startBuilder(mode = 'good'): Promise<BuilderService> {
  const requests: Asked[] = []
  const listener: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/cli-auth') return response.writeHead(302, { location: wayBack(url, mode) }).end()
    const { authorization } = request.headers
    requests.push({ url: request.url, authorization, body: await text(request) })
    return answers[mode]?.(response)
  }
  const { origin, stop } = await serveListener(listener)
  return { origin, requests, stop }
}

function wayBack({ searchParams }: URL, mode: string): string {
  const back = new URL(searchParams.get('redirect_url') ?? '')
  const set = (values: Record<string, string>) =>
    Object.entries(values).forEach(([name, value]) => back.searchParams.set(name, value))
  const { privateKey, publicKey } = builderKeys
  if (mode === 'refuses') set({ error: 'access_denied' })
  else if (mode === 'incomplete') set({ 'p-key': privateKey })
  else {
    set({ 'p-key': privateKey, 'api-key': publicKey, 'user-id': 'user-7', kind: 'team' })
    set({ 'org-name': `Ada's "Ltd" #1 = best` })
  }
  if (mode === 'wrong-state') set({ state: 'guessed' })
  return back.href
}
