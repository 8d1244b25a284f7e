import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'

const MOST_REQUESTS = 200
const MOST_STEPS = 40

/** A step of a request, with its start in milliseconds since the request. */
interface Step {
  name: string
  fact?: string
  at: number
}

export interface RecordedRequest {
  id: string
  method: string
  path: string
  at: Date
  /** Null while the request runs, and where the caller has disconnected. */
  status: number | null
  /** Milliseconds; null while the request runs. */
  took: number | null
  session: Session | null
  steps: Step[]
}

/** The target of a request, and the session that requested it. */
export interface Target {
  kind: 'action' | 'collection' | 'mcp'
  name: string
  session: Session | null
  /** Values that may be ids of rows. */
  ids: string[]
}

/** The reason for a refusal, in three sentences. */
export interface Reason {
  rule: string
  fact: string
  wayOut: string
}

export interface Denial extends Partial<Reason> {
  requestId: string
  at: Date
  kind: Target['kind']
  name: string
  code: string
  status: number
  who: string
}

/** The 200 most recent requests and refusals of a server, kept in memory by its app. */
export type Recording = ReturnType<typeof createRecording>

/** The recording of an app. */
export const recordingOf = (app: App): Recording => app.memo('devtools-recording', () => createRecording(app.now))

/** Creates an empty recording, which drops the oldest entries beyond its limits. */
export function createRecording(now: () => Date) {
  const requests = new Map<string, RecordedRequest & { began: number }>()
  const denials: Denial[] = []
  return {
    begin(id: string, method: string, path: string): void {
      const [oldest] = requests.keys()
      if (requests.size >= MOST_REQUESTS && oldest !== undefined) requests.delete(oldest)
      const began = performance.now()
      requests.set(id, { id, method, path, at: now(), status: null, took: null, session: null, steps: [], began })
    },
    step(id: string, name: string, fact?: string): void {
      const request = requests.get(id)
      if (!request || request.steps.length >= MOST_STEPS) return
      request.steps.push({ name, fact: fact || undefined, at: performance.now() - request.began })
    },
    person(id: string, session: Session | null): void {
      const request = requests.get(id)
      if (request) request.session = session
    },
    end(id: string, status: number | null): void {
      const request = requests.get(id)
      if (request) Object.assign(request, { status, took: performance.now() - request.began })
    },
    /**
     * Records a refusal; returns undefined if this request's is recorded already, because the error of an action arrives here
     * twice.
     */
    deny(requestId: string, { kind, name, session }: Target, { code, status }: AppError): Denial | undefined {
      if (denials.some(denial => denial.requestId === requestId && denial.code === code)) return undefined
      const denial: Denial = { requestId, at: now(), kind, name, code, status, who: session?.email ?? 'signed out' }
      denials.unshift(denial)
      denials.splice(MOST_REQUESTS)
      return denial
    },
    find: (id: string): RecordedRequest | undefined => requests.get(id),
    /** Newest first. */
    requests: (): RecordedRequest[] => [...requests.values()].toReversed(),
    denials: (): readonly Denial[] => denials,
  }
}
