// The shared parts of all checks of `fw doctor`: their input, their findings, and how they run.
import { type App, createMemo } from '../../server/kernel/app-context'
import type { Config } from '../../server/kernel/config/config'
import { envTable } from '../../server/kernel/config/env'
import type { Variable } from '../../server/kernel/config/env-variable'
import { createLog, type Log } from '../../server/kernel/events/log'
import { printable, reasonOf } from '../mcp/endpoint'
import { z } from 'zod'
import { jsonOf } from '../../server/kernel/declaration'
import { readLimited } from '../../server/kernel/http/fetch-json'

export type Status = 'ok' | 'warning' | 'fault' | 'off'

/** The result of one check; `off` when there is nothing to check. */
export interface Finding {
  check: string
  status: Status
  /** The observation. */
  text: string
  /** The fix, in one sentence. */
  todo?: string
}

/** The input of a check. */
export interface CheckInput {
  /** The application's folder. */
  root: string
  /** The environment variables. */
  source: NodeJS.Dict<string>
  config: Config
  /** The recipient of the one mail of `--send-to`. */
  sendTo?: string
}

/** The finding of a check, without its name. */
export type Found = Omit<Finding, 'check'>

/** A check, and whether it requires readable settings. */
export interface Check {
  name: string
  run(input: CheckInput): Promise<Found | readonly Found[]>
}

export const ok = (text: string): Found => ({ status: 'ok', text })
export const off = (text: string): Found => ({ status: 'off', text })
export const warning = (text: string, todo: string): Found => ({ status: 'warning', text, todo })
export const fault = (text: string, todo: string): Found => ({ status: 'fault', text, todo })

/** The parts of an app that send requests to other servers; opens no connection. */
export const outboundApp = ({
  config,
}: Pick<CheckInput, 'config'>): Pick<App, 'config' | 'fetch' | 'memo' | 'now'> => ({
  config,
  fetch: globalThis.fetch,
  now: () => new Date(),
  memo: createMemo(),
})

/** Discards the log of the platform during a check, because the check reports its findings. */
export const quietLog = (): Log =>
  createLog(
    () => {},
    'error',
    () => new Date(),
  )

const LIMIT_IN_MS = 20_000

/**
 * Runs the checks concurrently, each for at most 20 seconds. Returns their findings in the order of the checks, without the
 * values of secrets. A check that throws becomes a fault with its reason.
 */
export async function examine(
  input: CheckInput,
  checks: readonly Check[],
  onProgress: (done: number, waiting: readonly string[]) => void = () => {},
): Promise<Finding[]> {
  const waiting = new Set(checks.map(({ name }) => name))
  const hide = secretHider(input.source)
  const all = checks.map(async ({ name, run }) => {
    const findings = await withinLimit(run(input)).catch((error: unknown) =>
      fault(`could not be looked at: ${reasonOf(error)}`, 'Mend what it says, and run `fw doctor` again.'),
    )
    waiting.delete(name)
    onProgress(checks.length - waiting.size, [...waiting])
    return [findings].flat().map(({ status, text, todo }) => ({
      check: name,
      status,
      text: hide(text),
      ...(todo ? { todo: hide(todo) } : {}),
    }))
  })
  return (await Promise.all(all)).flat()
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`it took longer than ${LIMIT_IN_MS / 1000} seconds`)), LIMIT_IN_MS)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

const SHORTEST = 6
const LONGEST_LINE = 600

/** Replaces every value of a secret setting with dots, including the passwords in its addresses. */
function secretHider(source: NodeJS.Dict<string>): (text: string) => string {
  const table: [string, Variable][] = Object.entries(envTable)
  const values = table.flatMap(([name, { secret }]) => (secret && source[name] ? partsOf(source[name]) : []))
  const secrets = values.filter(value => value.length >= SHORTEST).toSorted((a, b) => b.length - a.length)
  return text =>
    printable(
      secrets.reduce((shown, secret) => shown.replaceAll(secret, '••••'), text),
      LONGEST_LINE,
    )
}

function partsOf(value: string): string[] {
  const password = URL.parse(value)?.password ?? ''
  return [value, password, decodeURIComponent(password), ...value.split(',')]
}

const MARKS: Readonly<Record<Status, string>> = { ok: '✓', warning: '!', fault: '✗', off: '–' }

/** Formats the findings for people: a line for each, the fix below it, and the number of faults and warnings. */
export function toLines(findings: readonly Finding[]): string[] {
  const count = (status: Status) => findings.filter(finding => finding.status === status).length
  const [faults, warnings] = [count('fault'), count('warning')]
  const many = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  return [
    ...findings.flatMap(({ check, status, text, todo }) => [
      `${MARKS[status]} ${check}: ${text}`,
      ...(todo ? [`    ${todo}`] : []),
    ]),
    faults + warnings === 0 ? 'All is well.' : `${many(faults, 'fault')}, ${many(warnings, 'warning')}.`,
  ]
}

const READINESS_LIMIT_IN_MS = 10_000
const MOST_BYTES = 64 * 1024
const answerSchema = z.object({ status: z.enum(['ready', 'not-ready']), checks: z.record(z.string(), z.unknown()) })

/** The readiness of a base URL: this platform (ready or not), another server, or no response. */
export type Readiness =
  | { state: 'ready' }
  | { state: 'not-ready'; checks: string }
  | { state: 'other'; text: string }
  | { state: 'away'; text: string }

/** Requests `/_fw/health/ready` of a base URL. */
export async function readiness(baseUrl: string): Promise<Readiness> {
  try {
    const signal = AbortSignal.timeout(READINESS_LIMIT_IN_MS)
    const answer = await fetch(`${baseUrl}/_fw/health/ready`, { redirect: 'manual', signal })
    const { data } = answerSchema.safeParse(jsonOf(await readLimited(answer, MOST_BYTES)))
    const location = answer.headers.get('location')
    if (location) return { state: 'other', text: `redirects to ${printable(location)}` }
    if (!data || !answer.headers.has('x-request-id'))
      return { state: 'other', text: `answers ${answer.status}, not as this platform does` }
    if (data.status === 'ready') return { state: 'ready' }
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

/** Returns how many seconds the responding server's clock is ahead of this machine's; null when the response has no date. */
export function secondsAhead({ headers }: Response): number | null {
  const date = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? null : Math.round((date - Date.now()) / 1000)
}
