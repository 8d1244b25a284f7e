import { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { type App, getRequestId } from '../app-context'
import { isServedPath } from './request-info'
import { SIGN_IN_PATH } from '#fairway/shared/paths'

/** A response that is ready in memory: its headers besides `baseHeaders`, as names followed by values, and its bytes. */
export interface ReadyAnswer {
  status: number
  headers: readonly string[]
  /** A text with one character for each byte: Node writes it together with the headers, which is cheaper while it is short. */
  body: Buffer | string
}

const SHORT = 8192

/** Creates a response that can be sent any number of times; one without a body (304) has no length. */
export function makeReady(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
): ReadyAnswer {
  const bytes = Buffer.from(body)
  const length = status === 304 ? [] : ['content-length', String(bytes.length)]
  return {
    status,
    headers: [...Object.entries(headers).flat(), ...length],
    body: bytes.length <= SHORT ? bytes.toString('latin1') : bytes,
  }
}

/** Returns whether a response may come from memory: only for a GET from the network, while DevTools do not record requests. */
export const mayBeReady = ({ node: { req } }: H3Event, { trace }: App): boolean =>
  req.method === 'GET' && trace === undefined && req instanceof IncomingMessage

/** Sends a ready response, with the headers of every response at this path, in one write. */
export function sendReady(event: H3Event, app: App, path: string, { status, headers, body }: ReadyAnswer): void {
  const all = ['x-request-id', getRequestId(event), ...baseHeaders(app, path), ...headers]
  event.node.res.writeHead(status, all).end(body, 'latin1')
}

/**
 * Returns the headers of every response at this path except its request id, as names followed by values. Responses of the
 * framework's own endpoints are never stored.
 */
export function baseHeaders(app: App, path: string): readonly string[] {
  const { served, shown } = app.memo('base-headers', () => {
    const { isHttps, authDisabled } = app.config
    const all = [
      'x-content-type-options',
      'nosniff',
      'referrer-policy',
      'same-origin',
      ...(isHttps ? ['strict-transport-security', 'max-age=31536000'] : []),
      ...(authDisabled ? ['x-fairway-auth', 'disabled'] : []),
    ]
    return { shown: all, served: [...all, 'cache-control', 'no-store'] }
  })
  return isServedPath(app, path) && path !== SIGN_IN_PATH ? served : shown
}
