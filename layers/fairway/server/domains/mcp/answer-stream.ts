import { setResponseHeader, setResponseStatus, type H3Event } from 'h3'

const COMMENT = ': keepalive\n\n'

/** Creates a stream without writing anything: status and headers are sent with the first output. Answers are never stored. */
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

  /** Stops the keep-alive. Returns whether the host is still connected. */
  function stop(): boolean {
    hasEnded = true
    clearInterval(comments)
    return !res.destroyed
  }

  /** Sends the complete message that ends the exchange; with `latin1`, each character is one byte. */
  function end(message: string, encoding: 'utf8' | 'latin1' = cheapestFor(message)): void {
    if (!stop()) return
    if (hasBegun) res.end(`event: message\ndata: ${message}\n\n`, encoding)
    else sendJson(event, message, encoding)
  }

  return {
    end,
    /** Sends a notification before the result. It is dropped for hosts that do not accept a stream, and after the end. */
    tell(notification: { method: string; params: object }): void {
      if (!takesStream || hasEnded || res.destroyed) return
      if (!hasBegun) begin()
      res.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...notification })}\n\n`)
    },
    /**
     * Opens the stream when the answer takes longer than this, and sends a comment at this interval, because proxies close silent
     * connections.
     */
    keepAlive(intervalInMs: number): void {
      if (!takesStream || comments) return
      comments = setInterval(() => {
        if (!hasBegun) begin()
        res.write(COMMENT)
      }, intervalInMs).unref()
      res.once('close', stop)
    },
    /** Sends an answer of the protocol's library; a stream ends when the host disconnects. */
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
    /** Ends an open stream without a result. */
    close(): void {
      if (stop() && hasBegun) res.end()
    },
  }
}

/** The output for one message: JSON, or a stream of events once something is sent before the result. */
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

// ASCII is equal in both encodings, and Node copies `latin1` without inspecting it.
const cheapestFor = (json: string) => (Buffer.byteLength(json) === json.length ? 'latin1' : 'utf8')
