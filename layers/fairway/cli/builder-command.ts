import { defineCommand } from 'citty'
import { z } from 'zod'
import { readEnv } from '../server/kernel/config/env'
import { changeEnvFile, readEnvFile } from './change-file'
import { openBrowser, startCallbackServer, timeoutArg, timeoutInMs } from './browser'
import { endWith, say } from './terminal'

/** The names that `fw builder connect` writes, with the callback parameter that each value comes from. */
const BUILDER_NAMES = {
  BUILDER_PRIVATE_KEY: 'p-key',
  BUILDER_PUBLIC_KEY: 'api-key',
  BUILDER_USER_ID: 'user-id',
  BUILDER_ORG_NAME: 'org-name',
  BUILDER_ORG_KIND: 'kind',
} as const

type BuilderName = keyof typeof BUILDER_NAMES

const ENV_FILE = '.env'
const names = Object.keys(BUILDER_NAMES) as BuilderName[]

const dryRun = { type: 'boolean', description: 'Say what would happen and change nothing.' } as const

const connect = defineCommand({
  meta: { name: 'connect', description: `Connect the builder service in the browser; its keys go into ${ENV_FILE}.` },
  args: { 'dry-run': dryRun, timeout: timeoutArg },
  run: ({ args }) =>
    endWith(async () => {
      const limitInMs = timeoutInMs(args.timeout)
      const { BUILDER_APP_HOST: appHost = 'https://builder.io' } = readEnv({
        BUILDER_APP_HOST: process.env.BUILDER_APP_HOST,
      })
      await (args['dry-run'] ? showConnecting(appHost) : connectBuilder(appHost, limitInMs))
      return 0
    }),
})

const status = defineCommand({
  meta: { name: 'status', description: 'Say whether a builder service is connected.' },
  run: () =>
    endWith(async () => {
      const present = names.filter(name => process.env[name])
      if (!process.env.BUILDER_PRIVATE_KEY || !process.env.BUILDER_PUBLIC_KEY) {
        say('Not connected. Run `fw builder connect`.')
        return 1
      }
      const { BUILDER_ORG_NAME: name, BUILDER_ORG_KIND: kind } = process.env
      say(`Connected${name ? ` to ${name}` : ''}${kind ? ` (${kind})` : ''}.`)
      const inFile = await readEnvFile(ENV_FILE)
      for (const item of present)
        say(`  ${item}: set ${inFile[item] === process.env[item] ? `in ${ENV_FILE}` : 'in the environment'}`)
      return 0
    }),
})

const disconnect = defineCommand({
  meta: { name: 'disconnect', description: `Take the keys of the builder service out of ${ENV_FILE}.` },
  args: { 'dry-run': dryRun },
  run: ({ args }) =>
    endWith(async () => {
      const inFile = await readEnvFile(ENV_FILE)
      const present = names.filter(name => inFile[name] !== undefined)
      if (present.length === 0) say(`${ENV_FILE} holds no keys of a builder service.`)
      else if (args['dry-run']) say(`Would take ${present.join(', ')} out of ${ENV_FILE}. Nothing was changed.`)
      else {
        await changeEnvFile(ENV_FILE, Object.fromEntries(present.map(name => [name, null])))
        say(
          `${present.join(', ')} are gone from ${ENV_FILE}. The keys still work: withdraw them at the builder service.`,
        )
      }
      const elsewhere = names.filter(name => process.env[name] && process.env[name] !== inFile[name])
      if (elsewhere.length > 0) say(`Still set in the environment: ${elsewhere.join(', ')}.`)
      return 0
    }),
})

/** `fw builder …`: browser access by an external builder service. */
export const builderCommand = defineCommand({
  meta: { name: 'builder', description: 'Browser access by a builder service: connect, status, disconnect.' },
  subCommands: { connect, status, disconnect },
})

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
    const values = parseCallback(await callback.received)
    await changeEnvFile(ENV_FILE, values)
    const organization = values.BUILDER_ORG_NAME ? ` to ${values.BUILDER_ORG_NAME}` : ''
    say(
      `Connected${organization}. ${ENV_FILE} holds the keys, for its owner only. Restart the application to use them.`,
    )
  } finally {
    await callback.close()
  }
}

function authorizeUrl(appHost: string, redirectUrl: string): string {
  const query = new URLSearchParams({ response_type: 'code', ...CLIENT, redirect_url: redirectUrl })
  return `${appHost}/cli-auth?${query}`
}

const plain = z.string().regex(/^[\x21-\x7e]{1,1024}$/)
const display = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,200}$/u)
  // One kind of quotation mark must stay free to quote the value with.
  .transform(text => text.replaceAll('`', '’'))

const callbackSchema = z.object({
  'p-key': plain,
  'api-key': plain,
  'user-id': plain,
  'org-name': display.optional(),
  kind: display.optional(),
})

/** Parses the parameters that the builder service returned; throws a sentence that contains none of their values. */
function parseCallback(query: URLSearchParams): Record<BuilderName, string | null> {
  const refusal = query.get('error')
  if (refusal !== null)
    throw new Error(
      refusal === 'access_denied' ? 'You cancelled the connection.' : 'The builder service refused the connection.',
    )
  const fields = Object.values(BUILDER_NAMES)
  if (fields.some(field => query.getAll(field).length > 1)) throw incomplete('a part of it came twice')
  const given = fields.map(field => [field, query.get(field) || undefined] as const)
  const parsed = callbackSchema.safeParse(Object.fromEntries(given))
  if (!parsed.success) throw incomplete(parsed.error.issues.map(issue => issue.path.join('.')).join(', '))
  const values = Object.entries(BUILDER_NAMES).map(([name, field]) => [name, parsed.data[field] ?? null])
  return Object.fromEntries(values) as Record<BuilderName, string | null>
}

const incomplete = (what: string): Error =>
  new Error(`The builder service sent an answer that cannot be used (${what}). Nothing was changed.`)
