import { type Agent, request as sendRequest } from 'node:http'
import { connect } from 'node:net'

interface RequestInput {
  method?: string
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
  /** A body that is sent unchanged. */
  body?: string
}

export interface TestBrowser {
  request(path: string, input?: RequestInput): Promise<Response>
  get(path: string, input?: RequestInput): Promise<Response>
  post(path: string, input?: RequestInput): Promise<Response>
  cookieHeader(): string
  /** Keeps the cookies of a response that somebody else has requested. */
  keep(answer: Response): void
}

/** Node's own: a page in Node's DOM replaces the global one. */
const { fetch: send } = globalThis

/** Stores the cookies of one browser. */
export class CookieJar {
  readonly #cookies = new Map<string, string>()

  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get names(): string[] {
    return [...this.#cookies.keys()]
  }

  keep(setCookies: string[]): void {
    for (const cookie of setCookies) {
      const [pair = ''] = cookie.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }

  without(part: string): string {
    return this.header
      .split('; ')
      .filter(cookie => !cookie.includes(part))
      .join('; ')
  }
}

/** A client with a cookie jar that sends the headers of a browser on our own pages and follows no redirects. */
export function createBrowser(origin: string): TestBrowser {
  const jar = new CookieJar()
  async function request(path: string, input: RequestInput = {}): Promise<Response> {
    const { method = 'GET', json, form } = input
    const headers: Record<string, string> = {
      ...(method === 'GET' || method === 'HEAD' ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
      ...(jar.names.length > 0 ? { cookie: jar.header } : {}),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' } : {}),
      ...input.headers,
    }
    const sent = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
    const answer = await send(origin + path, { method, headers, body: input.body ?? sent, redirect: 'manual' })
    jar.keep(answer.headers.getSetCookie())
    return answer
  }
  return {
    request,
    cookieHeader: () => jar.header,
    keep: answer => jar.keep(answer.headers.getSetCookie()),
    get: (path, input) => request(path, input),
    post: (path, input) => request(path, { ...input, method: 'POST' }),
  }
}

/** Creates an account with a password and keeps its session in the browser. */
export async function signUp(
  browser: TestBrowser,
  person: { email: string; password: string; name: string },
): Promise<void> {
  const answer = await browser.post('/_fw/auth/sign-up/email', { json: person })
  if (!answer.ok) throw new Error(await answer.text())
}

/** The browser's current session, or null. */
export const sessionOf = async (browser: Pick<TestBrowser, 'get'>) =>
  (await (await browser.get('/_fw/session')).json()).session

/** Sends raw bytes over a socket; returns all received data once the server closes the connection or time runs out. */
export function raw(origin: string, text: string, limitInMs = 5000): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let received = ''
    const end = () => {
      socket.destroy()
      resolve(received)
    }
    socket.setTimeout(limitInMs, end)
    socket.on('data', chunk => (received += String(chunk)))
    socket.on('end', end)
    socket.on('error', error => (received ? end() : reject(error)))
  })
}

interface PlainRequest {
  method?: string
  headers?: Record<string, string>
  /** The path and query, sent in exactly this spelling. `fetch` and `URL` would normalize them. */
  path?: string
  body?: string
  /** The local address to send from. */
  localAddress?: string
  /** Keeps connections open for further requests. */
  agent?: Agent
}

/** Sends exactly these headers. Node's `fetch` always sends `sec-fetch-mode: cors`. */
export function plainRequest(url: string, { body, ...options }: PlainRequest = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(url, options, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk as Buffer))
      answer.on('end', () => {
        const received = new Headers()
        for (let at = 0; at < answer.rawHeaders.length; at += 2)
          received.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '')
        const status = answer.statusCode ?? 0
        resolve(new Response(chunks.length > 0 ? Buffer.concat(chunks) : null, { status, headers: received }))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The user agents of browsers. */
export const userAgents = {
  firefoxOnLinux: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  safariOnPhone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  edgeOnWindows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  chromeOnAndroid:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
}
