import type { App } from '../server/kernel/app-context'
import type { Edge } from './edge'
import { signIn, type Who } from './people'

export interface RequestOptions extends RequestInit {
  /** Sent as the body, as JSON. */
  json?: unknown
}

/** The browsers of people, each signed in when it is first used; gives what sends a request as a page of the application would. */
export function createBrowsers(app: App, edge: Edge) {
  const jars = new Map<string, Promise<CookieJar>>()

  function jarOf(who: Who): Promise<CookieJar> {
    const made = jars.get(who.email) ?? signIn(app, who).then(cookie => new CookieJar([cookie]))
    jars.set(who.email, made)
    return made
  }

  return async (who: Who | null, path: string, { json, ...options }: RequestOptions = {}): Promise<Response> => {
    const jar = who ? await jarOf(who) : new CookieJar()
    const headers = new Headers(json === undefined ? {} : { 'content-type': 'application/json' })
    if (jar.header !== '') headers.set('cookie', jar.header)
    if (!/^(get|head)$/i.test(options.method ?? 'get')) {
      headers.set('origin', app.config.baseUrl)
      headers.set('sec-fetch-site', 'same-origin')
    }
    for (const [name, value] of new Headers(options.headers)) headers.set(name, value)
    const body = json === undefined ? options.body : JSON.stringify(json)
    const answer = await edge.fetch(path, { ...options, headers, body })
    jar.keep(answer.headers.getSetCookie())
    return answer
  }
}

/** The cookies of one browser. */
class CookieJar {
  readonly #cookies = new Map<string, string>()

  constructor(setCookies: readonly string[] = []) {
    this.keep(setCookies)
  }

  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  keep(setCookies: readonly string[]): void {
    for (const cookie of setCookies) {
      const [pair = ''] = cookie.split(';', 1)
      const at = pair.indexOf('=')
      if (/;\s*max-age=0/i.test(cookie)) this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }
}
