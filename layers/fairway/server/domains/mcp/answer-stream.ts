import { setResponseHeader, setResponseStatus, type H3Event } from 'h3'

const KEEP_ALIVE_IN_MS = 15_000

/** How the answer of one message leaves: as JSON, or as a stream of events from the moment on that something is told before it. */
export interface AnswerStream {
  /** Tells the host something before the result; what comes after the result, or after the host has gone, is dropped. */
  tell(notification: { method: string; params: object }): void
  /** Sends the whole message that ends the exchange. */
  end(message: string): void
  readonly hasBegun: boolean
}

/** Opens nothing yet: status and headers are written with whatever comes first. */
export function createAnswerStream(event: H3Event): AnswerStream {
  const { res } = event.node
  let keepAlive: NodeJS.Timeout | undefined
  let hasBegun = false
  let hasEnded = false

  function begin(): void {
    hasBegun = true
    setResponseStatus(event, 200)
    setResponseHeader(event, 'content-type', 'text/event-stream')
    setResponseHeader(event, 'cache-control', 'no-store')
    setResponseHeader(event, 'x-accel-buffering', 'no')
    res.flushHeaders()
    keepAlive = setInterval(() => res.write(': keepalive\n\n'), KEEP_ALIVE_IN_MS).unref()
    res.once('close', () => clearInterval(keepAlive))
  }

  return {
    get hasBegun() {
      return hasBegun
    },
    tell(notification) {
      if (hasEnded || res.destroyed) return
      if (!hasBegun) begin()
      res.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...notification })}\n\n`)
    },
    end(message) {
      hasEnded = true
      clearInterval(keepAlive)
      if (res.destroyed) return
      if (hasBegun) res.end(`event: message\ndata: ${message}\n\n`)
      else sendJson(event, message)
    },
  }
}

/** Sends JSON that is written already, in one piece; nothing of it is ever stored. With `latin1` each character is a byte of it. */
export function sendJson(event: H3Event, json: string, encoding: 'utf8' | 'latin1' = cheapestFor(json)): void {
  const { res } = event.node
  if (res.destroyed) return
  setResponseStatus(event, 200)
  setResponseHeader(event, 'content-type', 'application/json')
  setResponseHeader(event, 'cache-control', 'no-store')
  res.end(json, encoding)
}

// ASCII is the same in both, and as `latin1` it is copied without being looked at.
const cheapestFor = (json: string) => (Buffer.byteLength(json) === json.length ? 'latin1' : 'utf8')
