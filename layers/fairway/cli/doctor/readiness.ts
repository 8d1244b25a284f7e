import { z } from 'zod'
import { jsonOf } from '../../server/kernel/declaration'
import { readLimited } from '../../server/kernel/http/fetch-json'
import { printable, reasonOf } from '../mcp/endpoint'

const LIMIT_IN_MS = 10_000
const MOST_BYTES = 64 * 1024
const answerSchema = z.object({ status: z.enum(['ready', 'not-ready']), checks: z.record(z.string(), z.unknown()) })

/** What the readiness of a base URL says: ours and ready or not, something else, or nobody. */
export type Readiness =
  | { state: 'ready'; secondsAhead: number | null }
  | { state: 'not-ready'; checks: string }
  | { state: 'other'; text: string }
  | { state: 'away'; text: string }

/** Asks a base URL for `/_fw/health/ready`. */
export async function readiness(baseUrl: string): Promise<Readiness> {
  try {
    const signal = AbortSignal.timeout(LIMIT_IN_MS)
    const answer = await fetch(`${baseUrl}/_fw/health/ready`, { redirect: 'manual', signal })
    const { data } = answerSchema.safeParse(jsonOf(await readLimited(answer, MOST_BYTES)))
    const location = answer.headers.get('location')
    if (location) return { state: 'other', text: `redirects to ${printable(location)}` }
    if (!data || !answer.headers.has('x-request-id'))
      return { state: 'other', text: `answers ${answer.status}, not as this platform does` }
    if (data.status === 'ready') return { state: 'ready', secondsAhead: secondsAhead(answer) }
    return {
      state: 'not-ready',
      checks: Object.entries(data.checks)
        .map(pair => pair.join(' '))
        .join(', '),
    }
  } catch (error) {
    return { state: 'away', text: reasonOf(error) }
  }
}

/** How far the clock of who answered is ahead of this machine's; null where it does not say. */
export function secondsAhead({ headers }: Response): number | null {
  const date = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? null : Math.round((date - Date.now()) / 1000)
}
