import { type H3Event, setResponseHeader, setResponseStatus } from 'h3'

/** Sends an answer of the protocol's library; a stream ends when the host goes. Nothing of it is ever stored. */
export async function sendResponse(event: H3Event, response: Response): Promise<void> {
  const { res } = event.node
  if (res.destroyed) return
  setResponseStatus(event, response.status)
  for (const [name, value] of response.headers) if (name !== 'connection') setResponseHeader(event, name, value)
  setResponseHeader(event, 'cache-control', 'no-store')
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    res.end(Buffer.from(await response.arrayBuffer()))
    return
  }
  res.flushHeaders()
  for await (const chunk of response.body ?? []) {
    if (res.destroyed) return
    res.write(chunk)
  }
  res.end()
}
