import type { TestBrowser } from './http'

export interface Writers {
  /** The ids of the acknowledged notes. */
  acknowledged: string[]
  /** The number of failures per error code; `away` counts requests without a response. */
  refused: Map<string, number>
  /** The duration of the slowest response in milliseconds. */
  slowestInMs(): number
  stop(): Promise<void>
}

/** Starts writers that add notes over HTTP: each after its previous response, or all together evenly at `perSecond`. */
export function startWriters(browser: TestBrowser, count: number, perSecond?: number): Writers {
  const acknowledged: string[] = []
  const refused = new Map<string, number>()
  const state = { isOver: false, slowest: 0 }

  async function write(title: string): Promise<void> {
    const began = performance.now()
    const answer = await browser.post('/_fw/actions/create-note', { json: { title } }).catch(() => undefined)
    const body = await answer?.json().catch(() => undefined)
    state.slowest = Math.max(state.slowest, performance.now() - began)
    if (body?.result) return void acknowledged.push(String(body.result.note.id))
    const what = body ? String(body.code) : 'away'
    refused.set(what, (refused.get(what) ?? 0) + 1)
    await pause(5)
  }

  const writers = Array.from({ length: count }, async (_, writer) => {
    const gap = perSecond ? (1000 * count) / perSecond : 0
    for (let round = 0; !state.isOver; round += 1) {
      const began = performance.now()
      await write(`note ${writer}-${round}`)
      await pause(Math.max(0, gap - (performance.now() - began)))
    }
  })
  return {
    acknowledged,
    refused,
    slowestInMs: () => state.slowest,
    async stop() {
      state.isOver = true
      await Promise.all(writers)
    },
  }
}

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))
