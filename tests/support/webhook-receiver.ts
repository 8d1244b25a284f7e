import { z } from 'zod'
import { serveListener, type WebServer } from './web-server'

const eventSchema = z.object({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) })

interface Received {
  path: string
  headers: Record<string, string>
  /** The body exactly as sent, because signatures cover these bytes. */
  body: string
  /** The body in the standard format; reading it throws for other bodies. */
  readonly event: z.output<typeof eventSchema>
}

export interface Receiver extends WebServer {
  /** All requests so far, oldest first. */
  requests: Received[]
  /** The response from now on. */
  answer: { status: number; text?: string; headers?: Record<string, string> }
  at(path: string): Received[]
  typesAt(path: string): string[]
  /** Holds back responses, for one path or for all, until `release`. */
  hold(path?: string): void
  release(): void
}

/** A local receiver of webhooks that records all requests. */
export async function startReceiver(port?: number): Promise<Receiver> {
  const requests: Received[] = []
  let held: { path: string | undefined; until: PromiseWithResolvers<void> } | undefined
  const server = await serveListener(
    async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const body = Buffer.concat(chunks).toString()
      const path = request.url ?? ''
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      requests.push({
        path,
        headers,
        body,
        get event() {
          return eventSchema.parse(JSON.parse(body))
        },
      })
      if (held && (held.path ?? path) === path) await held.until.promise
      const { status, text = 'taken', headers: more = {} } = receiver.answer
      response.writeHead(status, more).end(status === 204 ? undefined : text)
    },
    { port },
  )
  const receiver: Receiver = {
    ...server,
    requests,
    answer: { status: 200 },
    at: path => requests.filter(request => request.path === path),
    typesAt: path => receiver.at(path).map(({ event }) => event.type),
    hold(path) {
      held = { path, until: Promise.withResolvers() }
    },
    release() {
      held?.until.resolve()
      held = undefined
    },
  }
  return receiver
}
