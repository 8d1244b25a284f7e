import { z } from 'zod'
import { startCallbackServer, openBrowser } from './browser'
import { changeEnvFile } from './env-file'

interface ConnectInput {
  appHost: string
  envFile: string
  timeoutInMs: number
  isDryRun: boolean
  say(line: string): void
}

const CLIENT = { host: 'fairway', client_id: 'Fairway' }

/** Lets the person connect a builder service in the browser and keeps what it gives in the environment file; throws a sentence. */
export async function connectBuilder({ appHost, envFile, timeoutInMs, isDryRun, say }: ConnectInput): Promise<void> {
  const names = Object.keys(BUILDER_NAMES).join(', ')
  if (isDryRun) {
    say(`Would open ${authorizeUrl(appHost, 'http://127.0.0.1:<port>/callback?state=<32 random bytes>')}`)
    say(`Would write ${names} to ${envFile}. Nothing was changed.`)
    return
  }
  const callback = await startCallbackServer(timeoutInMs)
  try {
    const url = authorizeUrl(appHost, callback.url)
    const isOpen = await openBrowser(url)
    say(
      isOpen
        ? 'Go on in the browser that has opened.'
        : `No browser could be opened. Open this address yourself:\n${url}`,
    )
    const values = parseCallback(await callback.received)
    await changeEnvFile(envFile, values)
    const organization = values.BUILDER_ORG_NAME ? ` to ${values.BUILDER_ORG_NAME}` : ''
    say(`Connected${organization}. ${envFile} holds the keys, for its owner only. Restart the application to use them.`)
  } finally {
    await callback.close()
  }
}

function authorizeUrl(appHost: string, redirectUrl: string): string {
  const query = new URLSearchParams({ response_type: 'code', ...CLIENT, redirect_url: redirectUrl })
  return `${appHost}/cli-auth?${query}`
}

/** The names that `fw builder connect` writes, with the parameter of the callback that each comes from. */
export const BUILDER_NAMES = {
  BUILDER_PRIVATE_KEY: 'p-key',
  BUILDER_PUBLIC_KEY: 'api-key',
  BUILDER_USER_ID: 'user-id',
  BUILDER_ORG_NAME: 'org-name',
  BUILDER_ORG_KIND: 'kind',
} as const

type BuilderName = keyof typeof BUILDER_NAMES
export type BuilderValues = Partial<Record<BuilderName, string>>

const plain = z.string().regex(/^[\x21-\x7e]{1,1024}$/)
const display = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,200}$/u)
  // One kind of quotation mark must be left to write it with.
  .transform(text => text.replaceAll('`', '’'))

const callbackSchema = z.object({
  'p-key': plain,
  'api-key': plain,
  'user-id': plain,
  'org-name': display.optional(),
  kind: display.optional(),
})

/** What the builder service sent back, as the values to keep; throws with a sentence that repeats none of it. */
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
