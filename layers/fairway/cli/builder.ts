import { z } from 'zod'
import { readEnv } from '../server/kernel/config/env'
import { changeEnvFile, readEnvFile } from './change-file'
import { openBrowser, startCallbackServer, timeoutInMs } from './browser'
import { say } from './terminal'

/** The names that `fw builder connect` writes, with the callback parameter that each value comes from. */
const BUILDER_NAMES = {
  BUILDER_PRIVATE_KEY: 'p-key',
  BUILDER_PUBLIC_KEY: 'api-key',
  BUILDER_USER_ID: 'user-id',
} as const

type BuilderName = keyof typeof BUILDER_NAMES

const ENV_FILE = '.env'
const names = Object.keys(BUILDER_NAMES) as BuilderName[]

/** Connects the builder service in the browser, or in a dry run says what would happen. */
export async function connect(timeout: string | undefined, isDry: boolean | undefined): Promise<number> {
  const limitInMs = timeoutInMs(timeout)
  const { BUILDER_APP_HOST: appHost = 'https://builder.io' } = readEnv({
    BUILDER_APP_HOST: process.env.BUILDER_APP_HOST,
  })
  await (isDry ? showConnecting(appHost) : connectBuilder(appHost, limitInMs))
  return 0
}

/** Says whether a builder service is connected, and where its keys are; returns 1 without one. */
export async function tellStatus(): Promise<number> {
  const present = names.filter(name => process.env[name])
  if (!process.env.BUILDER_PRIVATE_KEY || !process.env.BUILDER_PUBLIC_KEY) {
    say('Not connected. Run `fw builder connect`.')
    return 1
  }
  say('Connected.')
  const inFile = await readEnvFile(ENV_FILE)
  for (const item of present)
    say(`  ${item}: set ${inFile[item] === process.env[item] ? `in ${ENV_FILE}` : 'in the environment'}`)
  return 0
}

/** Removes the keys of the builder service from the environment file. */
export async function disconnect(isDry: boolean | undefined): Promise<number> {
  const inFile = await readEnvFile(ENV_FILE)
  const present = names.filter(name => inFile[name] !== undefined)
  if (present.length === 0) say(`${ENV_FILE} holds no keys of a builder service.`)
  else if (isDry) say(`Would take ${present.join(', ')} out of ${ENV_FILE}. Nothing was changed.`)
  else {
    await changeEnvFile(ENV_FILE, Object.fromEntries(present.map(name => [name, null])))
    say(`${present.join(', ')} are gone from ${ENV_FILE}. The keys still work: withdraw them at the builder service.`)
  }
  const elsewhere = names.filter(name => process.env[name] && process.env[name] !== inFile[name])
  if (elsewhere.length > 0) say(`Still set in the environment: ${elsewhere.join(', ')}.`)
  return 0
}

const CLIENT = { host: 'fairway', client_id: 'Fairway' }

function showConnecting(appHost: string): void {
  say(`Would open ${authorizeUrl(appHost, 'http://127.0.0.1:<port>/callback?state=<32 random bytes>')}`)
  say(`Would write ${names.join(', ')} to ${ENV_FILE}. Nothing was changed.`)
}

/**
 * Lets the person connect a builder service in the browser and stores the received keys in the environment file. Throws a
 * sentence that contains no value from the browser.
 */
async function connectBuilder(appHost: string, limitInMs: number): Promise<void> {
  const callback = await startCallbackServer(limitInMs)
  try {
    const url = authorizeUrl(appHost, callback.url)
    const isOpen = await openBrowser(url)
    say(
      isOpen
        ? 'Go on in the browser that has opened.'
        : `No browser could be opened. Open this address yourself:\n${url}`,
    )
    await changeEnvFile(ENV_FILE, parseCallback(await callback.received))
    say(`Connected. ${ENV_FILE} holds the keys, for its owner only. Restart the application to use them.`)
  } finally {
    await callback.close()
  }
}

function authorizeUrl(appHost: string, redirectUrl: string): string {
  const query = new URLSearchParams({ response_type: 'code', ...CLIENT, redirect_url: redirectUrl })
  return `${appHost}/cli-auth?${query}`
}

const plain = z.string().regex(/^[\x21-\x7e]{1,1024}$/)
const callbackSchema = z.object({ 'p-key': plain, 'api-key': plain, 'user-id': plain })

/** Parses the parameters that the builder service returned; throws a sentence that contains none of their values. */
function parseCallback(query: URLSearchParams): Record<BuilderName, string> {
  const refusal = query.get('error')
  if (refusal !== null)
    throw new Error(
      refusal === 'access_denied' ? 'You cancelled the connection.' : 'The builder service refused the connection.',
    )
  const fields = Object.values(BUILDER_NAMES)
  if (fields.some(field => query.getAll(field).length > 1)) throw incomplete('a part of it came twice')
  const parameters = fields.map(field => [field, query.get(field) || undefined] as const)
  const parsed = callbackSchema.safeParse(Object.fromEntries(parameters))
  if (!parsed.success) throw incomplete(parsed.error.issues.map(issue => issue.path.join('.')).join(', '))
  const { data } = parsed
  return {
    BUILDER_PRIVATE_KEY: data['p-key'],
    BUILDER_PUBLIC_KEY: data['api-key'],
    BUILDER_USER_ID: data['user-id'],
  }
}

const incomplete = (what: string): Error =>
  new Error(`The builder service sent an answer that cannot be used (${what}). Nothing was changed.`)
