import { setResponseHeader, setResponseStatus, type H3Event } from 'h3'

const COMMENT = ': keepalive\n\n'

/** Opens nothing yet: status and headers are written with whatever comes first. Nothing of an answer is ever stored. */
export function createAnswerStream(event: H3Event, takesStream: boolean) {
  const { res } = event.node
  let comments: NodeJS.Timeout | undefined
  let hasBegun = false
  let hasEnded = false

  function begin(): void {
    hasBegun = true
    setResponseStatus(event, 200)
    setResponseHeader(event, 'content-type', 'text/event-stream')
    setResponseHeader(event, 'cache-control', 'no-store')
    setResponseHeader(event, 'x-accel-buffering', 'no')
    res.flushHeaders()
  }

  /** Whether there is still somebody to send the end to. */
  function stop(): boolean {
    hasEnded = true
    clearInterval(comments)
    return !res.destroyed
  }

  /** Sends the whole message that ends the exchange; with `latin1` each character is a byte of it. */
  function end(message: string, encoding: 'utf8' | 'latin1' = cheapestFor(message)): void {
    if (!stop()) return
    if (hasBegun) res.end(`event: message\ndata: ${message}\n\n`, encoding)
    else sendJson(event, message, encoding)
  }

  return {
    end,
    /** Sends the host something before the result. A host that takes no stream is told nothing; what comes too late is dropped. */
    tell(notification: { method: string; params: object }): void {
      if (!takesStream || hasEnded || res.destroyed) return
      if (!hasBegun) begin()
      res.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...notification })}\n\n`)
    },
    /** Begins the stream when the answer takes longer than this, and sends a comment at this interval: proxies cut what is silent. */
    keepAlive(intervalInMs: number): void {
      if (!takesStream || comments) return
      comments = setInterval(() => {
        if (!hasBegun) begin()
        res.write(COMMENT)
      }, intervalInMs).unref()
      res.once('close', stop)
    },
    /** Sends an answer of the protocol's library; a stream ends when the host goes. */
    async send(response: Response): Promise<void> {
      if (!stop()) return
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
      if (hasBegun && !isStream) return end(await response.text())
      if (!hasBegun) sendHead(event, response)
      if (!isStream) return void res.end(Buffer.from(await response.arrayBuffer()))
      res.flushHeaders()
      for await (const chunk of response.body ?? []) {
        if (res.destroyed) return
        res.write(chunk)
      }
      res.end()
    },
    /** Ends a stream that has begun, without a result. */
    close(): void {
      if (stop() && hasBegun) res.end()
    },
  }
}

/** How the answer of one message leaves: as JSON, or as a stream of events from the moment on that something is sent before it. */
export type AnswerStream = ReturnType<typeof createAnswerStream>

function sendHead(event: H3Event, { status, headers }: Response): void {
  setResponseStatus(event, status)
  for (const [name, value] of headers) if (name !== 'connection') setResponseHeader(event, name, value)
  setResponseHeader(event, 'cache-control', 'no-store')
}

function sendJson(event: H3Event, json: string, encoding: 'utf8' | 'latin1'): void {
  const { res } = event.node
  setResponseStatus(event, 200)
  setResponseHeader(event, 'content-type', 'application/json')
  setResponseHeader(event, 'cache-control', 'no-store')
  res.end(json, encoding)
}

// ASCII is the same in both, and as `latin1` it is copied without being looked at.
const cheapestFor = (json: string) => (Buffer.byteLength(json) === json.length ? 'latin1' : 'utf8')
