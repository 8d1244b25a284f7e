import { connect } from 'node:net'

interface RequestInput {
  method?: string
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
}

export interface TestBrowser {
  request(path: string, input?: RequestInput): Promise<Response>
  get(path: string, input?: RequestInput): Promise<Response>
  post(path: string, input?: RequestInput): Promise<Response>
  cookieHeader(): string
}

/** A client with a cookie jar that sends what a browser would send from our own pages, and follows no redirects. */
export function createBrowser(origin: string): TestBrowser {
  const jar = new Map<string, string>()
  const cookieHeader = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  async function request(path: string, input: RequestInput = {}): Promise<Response> {
    const { method = 'GET', json, form } = input
    const headers: Record<string, string> = {
      ...(method === 'GET' || method === 'HEAD' ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
      ...(jar.size > 0 ? { cookie: cookieHeader() } : {}),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' } : {}),
      ...input.headers,
    }
    const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
    const answer = await fetch(origin + path, { method, headers, body, redirect: 'manual' })
    for (const cookie of answer.headers.getSetCookie()) keepCookie(jar, cookie)
    return answer
  }
  return {
    request,
    cookieHeader,
    get: (path, input) => request(path, input),
    post: (path, input) => request(path, { ...input, method: 'POST' }),
  }
}

function keepCookie(jar: Map<string, string>, cookie: string): void {
  const [pair = ''] = cookie.split(';')
  const at = pair.indexOf('=')
  if (/max-age=0/i.test(cookie)) jar.delete(pair.slice(0, at))
  else jar.set(pair.slice(0, at), pair.slice(at + 1))
}

/** Creates an account with a password and keeps its session in the browser. */
export async function signUp(
  browser: TestBrowser,
  person: { email: string; password: string; name: string },
): Promise<void> {
  const answer = await browser.post('/_fw/auth/sign-up/email', { json: person })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Sends bytes as they are over a socket and gives all that comes back until the server closes or the time is up. */
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
