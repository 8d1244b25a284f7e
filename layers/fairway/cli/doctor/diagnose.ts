import { ConfigError } from '../../server/kernel/config/env'
import { type Check, examine, type Finding, type CheckInput, toLines } from './check'
import { database, migrations } from './database'
import { declarations, files, node, port, routes, settings } from './machine'
import { baseUrl, clock, hub, mail, mcp, outgoing, providers } from './network'
import { suggestion } from '../../shared/nearest-name'
import { offlineApp } from '../hub-checks'
import { CHECK_NAMES, type CheckName } from '../names'
import { say, showProgress, UsageFault } from '../terminal'

const BY_NAME: Record<CheckName, Check> = {
  settings,
  node,
  declarations,
  routes,
  files,
  port,
  database,
  migrations,
  mail,
  providers,
  hub,
  'base-url': baseUrl,
  mcp,
  outgoing,
  clock,
}
const CHECKS = CHECK_NAMES.map(name => BY_NAME[name])

/** The checks that also run when the settings cannot be read. */
const WITHOUT_SETTINGS: readonly Check[] = [node, declarations]

/** Prints the findings about this folder's application; returns 1 when there is a fault. */
export async function doctor(options: { only?: string; json: boolean; 'send-to'?: string }): Promise<number> {
  const only = namesOf(options.only)
  const unknown = only.find(name => !CHECKS.some(check => check.name === name))
  if (unknown !== undefined)
    throw new UsageFault(
      `There is no check ${unknown}.${suggestion(unknown, CHECK_NAMES)} There are ${CHECK_NAMES.join(', ')}.`,
    )
  const findings = await diagnose({ source: process.env, root: process.cwd(), sendTo: options['send-to'], only })
  showProgress('')
  const status = findings.some(finding => finding.status === 'fault') ? 'failed' : 'ok'
  say(options.json ? JSON.stringify({ status, findings }, null, 2) : toLines(findings).join('\n'))
  return status === 'failed' ? 1 : 0
}

const namesOf = (only: string | undefined): string[] =>
  (only ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)

interface Wish extends Pick<CheckInput, 'source' | 'root' | 'sendTo'> {
  /** The names of the checks to run; all when empty. */
  only: readonly string[]
}

/**
 * Returns the findings for these settings, in development unless NODE_ENV says otherwise; unreadable settings are reported as
 * faults.
 */
export async function diagnose({ only, ...options }: Wish): Promise<Finding[]> {
  const wanted = (checks: readonly Check[]) => checks.filter(({ name }) => only.length === 0 || only.includes(name))
  const tell = (done: number, waiting: readonly string[]) =>
    showProgress(waiting.length > 0 ? `${done} looked at; waiting for ${waiting.join(', ')}` : '')
  try {
    return await examine({ ...options, config: offlineApp(options.source).config }, wanted(CHECKS), tell)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const todo = 'Correct it in .env or in the environment; the reference of settings says what it takes.'
    const findings: Finding[] = error.faults.map(text => ({ check: 'settings', status: 'fault', text, todo }))
    const others = await examine({ ...options, config: offlineApp({}).config }, wanted(WITHOUT_SETTINGS), tell)
    return [...findings, ...others]
  }
}
