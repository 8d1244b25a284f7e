// Opens pages of the application in a DOM of Node. A page talks to a built server of its own, so a test reads what a person reads
// and the rows that a press has written. Styles are not loaded: what depends on them needs a browser (tests/e2e).
import { transferableAbortController } from 'node:util'
import { configure, waitFor } from '@testing-library/dom'
import type { DetachedWindowAPI } from 'happy-dom'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import axe from 'axe-core'
import { getContext } from 'unctx'
import { expect, onTestFinished } from 'vitest'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { aPerson, type Person } from '../support/people'
import { borrowServer, type ServerInput, type TestServer } from '../support/server'

export { screen, waitFor, within } from '@testing-library/dom'

declare global {
  interface Window {
    happyDOM: DetachedWindowAPI
  }
}

configure({ asyncUtilTimeout: 10_000 })

/** Node's own, which a page replaces. */
const { fetch: send } = globalThis
/** Another tab listens to changes for this one, because this DOM has no stream of events. */
const locks = { request: () => new Promise(() => {}) }
let loaded = 0

/** Answers a request of the page in the server's place: with a response, or by a promise that may fail or never end. */
type Answer = (path: string, init: RequestInit) => Response | Promise<Response>

export interface OpenedApp {
  server: TestServer
  /** The page's cookies, for requests outside the page. */
  browser: TestBrowser
  user: UserEvent
  /** Loads this path as a browser does, and waits until the page shows its content or has left. */
  open(path: string): Promise<void>
  /** From now on, the page's requests have the cookies of this browser. */
  become(other: TestBrowser): void
  /** The page's requests since it was opened, as `GET /_fw/session`. */
  requests: string[]
  /** The addresses that the page wanted to leave for; its own for a reload. */
  left: string[]
  /** Answers requests whose path matches, until the returned function is called. */
  intercept(path: RegExp, answer: Answer): () => void
}

/** Starts an application that no one has signed in to. The test's end closes it. */
export async function startApp(input: ServerInput = {}): Promise<OpenedApp> {
  const server = await borrowServer(input)
  const { origin } = server
  const browser = createBrowser(origin)
  let current = browser
  const requests: string[] = []
  const left: string[] = []
  const intercepted = new Map<RegExp, Answer>()
  let close = async () => {}
  localStorage.clear()
  sessionStorage.clear()
  window.happyDOM.setViewport({ width: 1280, height: 720 })
  const leave = (url: string | URL) => void left.push(new URL(url, window.location.href).href.replace(origin, ''))
  Object.defineProperties(window.location, {
    assign: { value: leave, configurable: true },
    replace: { value: leave, configurable: true },
    reload: { value: () => leave(window.location.href), configurable: true },
  })
  Object.defineProperty(window.navigator, 'locks', { value: locks, configurable: true })
  window.fetch = globalThis.fetch = async (input, init = {}) => {
    const { href, origin: asked, pathname, search } = new URL(input instanceof Request ? input.url : input, origin)
    const { method = 'GET', body, signal } = init
    if (asked !== origin) return send(href, init)
    requests.push(`${method} ${pathname}${search}`)
    const answer = [...intercepted].find(([path]) => path.test(pathname + search))?.[1]
    if (answer) return aborting(signal, answer(pathname + search, init))
    const own = transferableAbortController()
    signal?.addEventListener('abort', () => own.abort(signal.reason))
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...(init.credentials === 'omit' ? {} : { cookie: current.cookieHeader() }),
      ...(method === 'GET' ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
    }
    const response = await send(href, { method, body, headers, signal: own.signal })
    current.keep(response)
    return response
  }
  onTestFinished(async () => {
    void close()
    await server.stop()
  })
  async function open(path: string) {
    await close()
    requests.length = left.length = 0
    window.happyDOM.setURL(origin + path)
    document.body.innerHTML = '<div id="__nuxt"></div><div id="teleports"></div>'
    // A page's composables find their application in this context, which has one at a time.
    getContext('nuxt-app').unset()
    const entry = (await import(`#app/entry?load=${++loaded}`)) as { default(): Promise<{ unmount(): void }> }
    const mounted = entry.default()
    let app: { unmount(): void } | undefined
    // A page that has left is never mounted.
    close = async () => (app ? app.unmount() : void mounted.then(late => late.unmount()))
    void mounted.then(ready => (app = ready))
    await waitFor(() => {
      if (left.length === 0 && !document.querySelector('main:not([aria-busy]) h1'))
        throw new Error(`${path} shows nothing`)
    })
  }
  const intercept = (path: RegExp, answer: Answer) => {
    intercepted.set(path, answer)
    return () => void intercepted.delete(path)
  }
  const become = (other: TestBrowser) => void (current = other)
  return { server, browser, user: userEvent.setup(), open, become, requests, left, intercept }
}

/** Starts an application with an account that is signed in. */
export async function startSignedIn(input?: ServerInput, person = aPerson()): Promise<OpenedApp & { person: Person }> {
  const app = await startApp(input)
  await signUp(app.browser, person)
  return { ...app, person }
}

/** Expects no violation of the rules that need no styles. The walks of tests/e2e/accessibility.spec.ts check the others. */
export async function expectNoViolations(inside: HTMLElement): Promise<void> {
  const { violations } = await axe.run(inside, {
    resultTypes: ['violations'],
    rules: { 'color-contrast': { enabled: false } },
  })
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}

/** Shows a page that the server has rendered in the place of the application, for `expectNoViolations`. */
export function documentOf(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  document.body.innerHTML = body.innerHTML
  return document.body
}

function aborting<Value>(signal: AbortSignal | null | undefined, value: Value | Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
    Promise.resolve(value).then(resolve, reject)
  })
}
