// Lists, describes and runs the actions of this folder.
import fwConfig from '#fw/config'
import { coerceInput, inputJsonSchema, isOffered, runAction } from '../server/domains/actions'
import { newId } from '../server/kernel/crypto/random'
import { AppError } from '../server/kernel/http/app-error'
import { actionFiles } from '../modules/registry/catalogs'
import { type LoadedAction, loadActions } from '../modules/registry/declarations'
import { builderConfig } from '../server/kernel/config/config'
import { readEnv } from '../server/kernel/config/env'
import { localSession, openLocalApp, operatorSession } from './local-app'
import { checkKeys } from './action-keys'
import { suggestion } from '../shared/nearest-name'
import { say, UsageFault } from './terminal'

// `fw.mjs` changes to the application's folder first.
const root = process.cwd()

/** Prints a line for each action that the settings offer. */
export async function listActions(): Promise<void> {
  const config = { builder: builderConfig(readEnv(process.env), fwConfig) }
  const actions = (await loadActions(root, actionFiles(root))).filter(({ action }) => isOffered(action, config))
  const width = Math.max(...actions.map(action => action.name.length))
  for (const { name, action } of actions) say(`${name.padEnd(width)}  ${action.description}`)
}

/** Prints the description and the options of an action. Throws a UsageFault for an unknown name. */
export async function describeAction(name: string): Promise<void> {
  const { action } = await requireAction(name)
  const schema = inputJsonSchema(action)
  say(`fw action ${name}: ${action.description}`)
  for (const [option, property] of Object.entries(schema.properties ?? {})) {
    const { type, description } = typeof property === 'object' ? property : {}
    const need = schema.required?.includes(option) ? '' : ' (optional)'
    say(`  --${option} <${String(type ?? 'value')}>${need}  ${description ?? ''}`)
  }
}

interface LocalCall {
  name: string
  entries: [string, string][]
  /** The whole input as JSON, instead of options. */
  json?: string
  operator?: string
}

/** Runs an action and returns its result. Throws a UsageFault for an unknown name, and what the action throws. */
export async function runLocally({ name, entries, json, operator }: LocalCall): Promise<unknown> {
  const { action } = await requireAction(name)
  if (json === undefined) checkKeys(name, entries, inputJsonSchema(action))
  const input = json === undefined ? coerceInput(action, entries) : readJson(json)
  const app = await openLocalApp(root)
  try {
    const isAnybody = action.public && !app.config.localIdentity.enabled
    const session = isAnybody ? null : ((await operatorSession(app, operator)) ?? (await localSession(app)))
    if (session) process.stderr.write(`Acting as ${session.email}.\n`)
    return await runAction(app, { name, action, input, session, caller: 'cli', requestId: newId() })
  } finally {
    await app.db.close()
  }
}

async function requireAction(name: string): Promise<LoadedAction> {
  const actions = await loadActions(root, actionFiles(root))
  const declared = actions.find(action => action.name === name)
  if (declared) return declared
  const meant = suggestion(
    name,
    actions.map(each => each.name),
  )
  throw new UsageFault(`There is no action ${name}.${meant} \`fw action --list\` shows them all.`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('malformed-json')
  }
}
