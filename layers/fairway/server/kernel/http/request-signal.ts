import type { H3Event } from 'h3'

/** Aborted when whoever asked has gone before the answer was written. */
export const requestSignal = (event: H3Event): AbortSignal => requestAbort(event).signal

/** The same, for those who abort for reasons of their own too. */
export function requestAbort(event: H3Event): AbortController {
  const gone = new AbortController()
  const { res } = event.node
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  return gone
}
