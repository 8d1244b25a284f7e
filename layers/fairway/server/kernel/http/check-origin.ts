import type { IncomingMessage } from 'node:http'
import { hostnameOf, isLoopbackHost } from '#fairway/shared/loopback'
import type { Config } from '../config/config'
import { AppError } from './app-error'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const OWN_SITES: readonly (string | undefined)[] = [undefined, 'same-origin', 'none']

/**
 * Throws `cross-origin` for an unsafe request, unless it comes from our own pages or from a program. The content type has no
 * influence.
 */
export function checkSameOrigin(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  baseUrl: string,
): void {
  if (SAFE.has(method ?? 'GET')) return
  const { cookie, origin, 'sec-fetch-site': site } = headers
  // Each header is checked separately: a browser that supports both sends both.
  const isForeign = !OWN_SITES.includes(site?.toString()) || (origin !== undefined && origin !== baseUrl)
  // A program that is not a browser sends no such header and has no cookies of another user to abuse.
  const isUnsaid = Boolean(cookie) && site === undefined && origin === undefined
  if (isForeign || isUnsaid) throw new AppError('cross-origin')
}

/**
 * Throws `forbidden` for every request from a page of another origin, even a safe one. Our pages may be open under any of our
 * names.
 */
export function checkOwnPage({ headers }: Pick<IncomingMessage, 'headers'>, baseUrl: string): void {
  const { host, origin, 'sec-fetch-site': site } = headers
  const isOurs = origin === undefined || origin === baseUrl || (URL.canParse(origin) && new URL(origin).host === host)
  if (!isOurs || !OWN_SITES.includes(site?.toString()))
    throw new AppError('forbidden', { detail: 'Another site asks for this. Open it in a tab of its own.' })
}

const PLAIN_HOST = /^([a-z\d.-]+)(?::(?:\d{1,4}|[1-5]\d{4}))?$/

/** Throws `misdirected-request` for a request to a host name that is not ours, with any port. */
export function checkHost(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { allowedHosts }: Pick<Config, 'allowedHosts'>,
): void {
  if (allowedHosts === null) return
  // Most headers are a plain name, in the form that `URL` returns.
  const plain = PLAIN_HOST.exec(headers.host ?? '')?.[1]
  if (plain !== undefined && (isLoopbackHost(plain) || allowedHosts.has(plain))) return
  const name = hostnameOf(headers.host)
  if (name !== undefined && (isLoopbackHost(name) || allowedHosts.has(name))) return
  throw new AppError('misdirected-request', {
    detail: 'Open it at its own address, or add this name to FW_ALLOWED_HOSTS.',
  })
}
