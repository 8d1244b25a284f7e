import type { TestBrowser } from './http'

export interface HeardEvent {
  event: string
  id: string
  data: Record<string, unknown>
}

/** Subscribes to changes as a person's browser does; resolves once the server has confirmed the subscription. */
export async function listenToChanges(origin: string, browser: Pick<TestBrowser, 'cookieHeader'>, query = '') {
  const gone = new AbortController()
  const response = await fetch(`${origin}/_fw/changes${query}`, {
    headers: { cookie: browser.cookieHeader(), accept: 'text/event-stream' },
    signal: gone.signal,
  })
  const heard: HeardEvent[] = []
  const waiting = new Set<() => void>()
  const reading = response.ok && response.body ? read(response.body, heard, waiting) : Promise.resolve()
  const stream = {
    response,
    heard,
    /** The changes received so far: the action, the row it wrote, and its scope. */
    changes: () => heard.filter(({ event }) => event === 'change').map(({ data }) => data),
    /** Returns the first matching event, received or future; throws after five seconds. */
    async until(isIt: (event: HeardEvent) => boolean): Promise<HeardEvent> {
      const late = AbortSignal.timeout(5000)
      for (;;) {
        const found = heard.find(isIt)
        if (found) return found
        if (late.aborted) throw new Error(`not heard; heard so far: ${JSON.stringify(heard)}`)
        await new Promise<void>(resolve => {
          waiting.add(resolve)
          late.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    /** Resolves when the server has closed the stream. */
    ended: reading,
    close: () => gone.abort(),
  }
  if (response.ok) await stream.until(({ event }) => event === 'ready')
  return stream
}

async function read(body: ReadableStream<Uint8Array>, heard: HeardEvent[], waiting: Set<() => void>): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of body) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      heard.push(...blocks.flatMap(toEvent))
      for (const wake of waiting) wake()
      waiting.clear()
    }
  } catch {
    // The test closed the stream, or the server ended.
  }
}

function toEvent(block: string): HeardEvent[] {
  const fields = Object.fromEntries(
    block.split('\n').map(line => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trim()]
    }),
  )
  return fields.event ? [{ event: fields.event, id: fields.id ?? '', data: JSON.parse(fields.data ?? '{}') }] : []
}
