import { defineCommand } from 'citty'
import { ConfigError } from '../server/kernel/config/env'
import { type Check, examine, type Finding, type Patient, toLines } from './doctor/check'
import { database, migrations } from './doctor/database'
import { declarations, files, node, port, settings } from './doctor/machine'
import { baseUrl, clock, hub, mail, mcp, outgoing, providers } from './doctor/network'
import { offlineApp } from './hub-checks'
import { endWith, say, showProgress } from './terminal'

/** All checks, in the order of the output. */
const CHECKS: readonly Check[] = [
  settings,
  node,
  declarations,
  files,
  port,
  database,
  migrations,
  mail,
  providers,
  hub,
  baseUrl,
  mcp,
  outgoing,
  clock,
]

/** The checks that also run when the settings cannot be read. */
const WITHOUT_SETTINGS: readonly Check[] = [node, declarations]

/** `fw doctor`: checks everything that this application requires; exits with 1 when there is a fault. */
export const doctorCommand = defineCommand({
  meta: { name: 'doctor', description: 'Look at everything that this application needs, and say what to do.' },
  args: {
    only: { type: 'string', description: `Only these, comma separated: ${CHECKS.map(({ name }) => name).join(', ')}.` },
    json: { type: 'boolean', description: 'Write one JSON object.', default: false },
    'send-to': { type: 'string', description: 'Send one mail to this address.' },
  },
  run: ({ args }) =>
    endWith(async () => {
      const only = namesOf(args.only)
      const unknown = only.filter(name => !CHECKS.some(check => check.name === name))
      if (unknown.length > 0)
        throw new Error(
          `There is no check ${unknown.join(', ')}. There are ${CHECKS.map(({ name }) => name).join(', ')}.`,
        )
      const findings = await diagnose({ source: process.env, root: process.cwd(), sendTo: args['send-to'], only })
      showProgress('')
      const status = findings.some(finding => finding.status === 'fault') ? 'failed' : 'ok'
      say(args.json ? JSON.stringify({ status, findings }, null, 2) : toLines(findings).join('\n'))
      return status === 'failed' ? 1 : 0
    }),
})

const namesOf = (only: string | undefined): string[] =>
  (only ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)

interface Wish extends Pick<Patient, 'source' | 'root' | 'sendTo'> {
  /** The names of the checks to run; all when empty. */
  only: readonly string[]
}

/**
 * Returns the findings for these settings, in development unless NODE_ENV says otherwise; unreadable settings are reported as
 * faults.
 */
export async function diagnose({ only, ...given }: Wish): Promise<Finding[]> {
  const wanted = (checks: readonly Check[]) => checks.filter(({ name }) => only.length === 0 || only.includes(name))
  const tell = (done: number, waiting: readonly string[]) =>
    showProgress(waiting.length > 0 ? `${done} looked at; waiting for ${waiting.join(', ')}` : '')
  try {
    return await examine({ ...given, config: offlineApp(given.source).config }, wanted(CHECKS), tell)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const todo = 'Correct it in .env or in the environment; the reference of settings says what it takes.'
    const found: Finding[] = error.faults.map(text => ({ check: 'settings', status: 'fault', text, todo }))
    const others = await examine({ ...given, config: offlineApp({}).config }, wanted(WITHOUT_SETTINGS), tell)
    return [...found, ...others]
  }
}
