import type { TestBrowser } from './http'

export interface HeardEvent {
  event: string
  id: string
  data: Record<string, unknown>
}

/** Listens to what is written, as the browser of a person; resolves once the server has said that it listens. */
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
    /** The changes so far: which action wrote which row, and what it concerns. */
    changes: () => heard.filter(({ event }) => event === 'change').map(({ data }) => data),
    /** The first event that is like this, among those so far or to come; throws after five seconds. */
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
    /** Resolves when the server has ended it. */
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
    // The test has closed it, or the server has gone.
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
