import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { MCP_PATH } from '#fairway/shared/paths'

/** The request as the protocol's library wants it: headers without credentials, no body, and a signal that tells when the host has gone. */
export function toWebRequest(event: H3Event): Request {
  const { req, res } = event.node
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value)
  }
  return new Request(getApp(event).config.baseUrl + MCP_PATH, { method: 'POST', headers, signal: gone.signal })
}
