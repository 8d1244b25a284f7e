import type { H3Event } from 'h3'
import { getApp } from '../app-context'
import { clientAddress } from './client-address'

/** What a request says of where it came from. */
export interface RequestInfo {
  /** The client's address, as the configured proxies allow. */
  clientAddress: string
  userAgent: string
  cookieHeader?: string
  /** The language of the page that it was sent from, where mails follow that. */
  language?: string
}

/** What this request says of where it came from: the address as configured proxies allow, the browser and its cookies. */
export function requestInfo(event: H3Event) {
  const { headers } = event.node.req
  return {
    clientAddress: clientAddress(event.node.req, getApp(event).config.trustedProxies),
    userAgent: (headers['user-agent'] ?? '').slice(0, 400),
    cookieHeader: headers.cookie,
  } satisfies RequestInfo
}
