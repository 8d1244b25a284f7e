// Opens an address in the person's browser and waits on this machine for the browser to return with a result.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spawn } from 'node:child_process'
import { UsageFault } from './terminal'

const HOST = '127.0.0.1'
const LAST_PAGE_IN_MS = 2000

/** The longest time that `--timeout` takes. */
export const MOST_SECONDS = 600

/** The option of commands that wait for a browser. */
export const timeoutArg = {
  type: 'string',
  description: 'How many seconds to wait for the browser, 300 when not given.',
} as const

/** The options of commands that can sign in on a machine without a browser. */
export const signInArgs = {
  device: {
    type: 'boolean',
    default: false,
    description: 'Show a code to enter on another device, instead of opening a browser here.',
  },
  timeout: {
    type: 'string',
    description: 'How many seconds to wait for the sign-in: 300 when not given, and 600 with --device.',
  },
} as const

/** Returns the option's value in milliseconds; throws a sentence for an invalid value. */
export function timeoutInMs(text: string | undefined, standard = 300): number {
  const seconds = Number(text ?? standard)
  if (seconds >= 1 && seconds <= MOST_SECONDS) return seconds * 1000
  throw new UsageFault(`--timeout takes 1 to ${MOST_SECONDS} seconds.`)
}

export interface CallbackServer {
  /** The address that the browser must return to: this machine, a free port, and a state that only this process knows. */
  url: string
  /** The parameters that the browser returns with, once; rejects after the timeout. */
  received: Promise<URLSearchParams>
  close(): Promise<void>
}

/** Waits on this machine for a browser that returns from another site with a state of 32 random bytes. */
export async function startCallbackServer(limitInMs: number): Promise<CallbackServer> {
  const state = randomBytes(32).toString('base64url')
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
  const server = createServer()
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, HOST, done))
  const { port } = server.address() as AddressInfo
  const origin = `http://${HOST}:${port}`
  const timer = setTimeout(() => reject(new Error(tooLate(limitInMs))), limitInMs)
  server.on('request', createListener(origin, state, resolve))
  const close = () => closeSoon(server, timer)
  return { url: `${origin}/callback?state=${state}`, received: promise, close }
}

const tooLate = (limitInMs: number): string =>
  `Nobody came back from the browser within ${Math.round(limitInMs / 1000)} seconds. Nothing was changed. Run the command again.`

type Refusal = [status: number, sentence: string]

function createListener(origin: string, state: string, resolve: (query: URLSearchParams) => void) {
  const used = new Set<string>()
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = URL.canParse(request.url ?? '', origin) ? new URL(request.url ?? '', origin) : new URL(origin)
    // Refuses other host names that resolve to this machine (DNS rebinding).
    if (`http://${request.headers.host}` !== origin) return answer(response, 400, 'This is not the address.')
    if (request.method !== 'GET') return answer(response, 405, 'Only GET is understood here.')
    if (url.pathname === '/done') return answer(response, 200, 'Go back to the terminal. You can close this window.')
    const refusal = refusalOf(url, state, used)
    if (refusal) return answer(response, ...refusal)
    used.add(state)
    url.searchParams.delete('state')
    // The address contains keys. The redirect keeps it out of the browser's history.
    response.writeHead(303, { location: '/done', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end()
    resolve(url.searchParams)
  }
}

function refusalOf({ pathname, searchParams }: URL, state: string, used: ReadonlySet<string>): Refusal | undefined {
  if (pathname !== '/callback') return [404, 'There is nothing at this address.']
  const [returned = '', second] = searchParams.getAll('state')
  if (second !== undefined || !isSame(returned, state))
    return [400, 'This is not the answer that is waited for. Nothing was changed.']
  return used.has(state) ? [410, 'This answer was used already.'] : undefined
}

function isSame(received: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(received), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
  })
  response.end(`<!DOCTYPE html><html lang="en"><title>Command line</title><p>${sentence}</p></html>`)
}

// The browser may still be loading the final page.
async function closeSoon(server: Server, timer: NodeJS.Timeout): Promise<void> {
  clearTimeout(timer)
  const late = setTimeout(() => server.closeAllConnections(), LAST_PAGE_IN_MS)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(late)
}

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the person's browser; returns false when this machine has none. */
export function openBrowser(url: string): Promise<boolean> {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  return new Promise(resolve => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    // Some openers run as long as the browser does.
    const timer = setTimeout(() => resolve(true), 3000)
    const end = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => end(false))
    child.once('exit', code => end(code === 0))
    child.unref()
  })
}
