import { z } from 'zod'
import { isLoopbackHost } from '#fairway/shared/loopback'
import { jsonOf } from '../declaration'

/** The capability that an application must be registered for to sign people in through the hub. */
const IDENTITY_CAPABILITY = 'identity-sso'

/** An application that the hub knows. */
export interface HubApp {
  appId: string
  clientId: string
  /** Exactly one origin; a loopback origin without a port matches any port (RFC 8252 §7.3). */
  origin: string
  callbackPath: string
  /** Declared in the application's own code: entries of the registry cannot override it. */
  isCanonical: boolean
}

export const APP_ID = /^[a-z][a-z0-9-]{0,62}$/
const PATH = /^\/(?!\/)[A-Za-z0-9\-._~/]*$/

/** An entry in its written form; SPEC "Identity hub registration entry". */
export const hubAppSchema = z.strictObject({
  appId: z.string().regex(APP_ID, 'must be lower-case letters, digits and hyphens'),
  clientId: z.string().regex(/^[A-Za-z0-9._~-]{1,128}$/, 'must be letters, digits and ._~-'),
  origin: z
    .string()
    .refine(value => toOrigin(value) === value, 'must be exactly an origin, with https, or http on this machine'),
  callbackPath: z
    .string()
    .regex(PATH, 'must be a path without query and fragment')
    .refine(value => !value.split('/').some(part => part === '.' || part === '..'), 'must have no dot segments'),
  capabilities: z
    .array(z.string())
    .refine(list => list.includes(IDENTITY_CAPABILITY), `must contain ${IDENTITY_CAPABILITY}`),
})
type HubAppInput = z.input<typeof hubAppSchema>

/** The applications that the hub knows. */
export interface Registry {
  apps: readonly HubApp[]
  /** The reasons why entries are not accepted, by application id where they have one. */
  ignored: ReadonlyMap<string, string>
}

/**
 * Returns the applications that the hub knows: the declared ones, then each valid entry of the registry. Entries that are not
 * accepted are reported.
 */
export function readRegistry(canonical: readonly HubAppInput[], json: string | undefined, notices: string[]): Registry {
  const apps = canonical.map(entry => toHubApp(entry, true))
  const ignored = new Map<string, string>()
  if (json === undefined) return { apps, ignored }
  const entries = jsonOf(json)
  if (!Array.isArray(entries)) {
    notices.push('IDENTITY_SSO_APP_REGISTRY_JSON: must be a JSON array; it is ignored')
    return { apps, ignored }
  }
  const declared = new Set(apps.map(({ appId }) => appId))
  for (const [index, entry] of entries.entries()) {
    const parsed = hubAppSchema.safeParse(entry)
    const fault = parsed.success ? overridden(declared, parsed.data.appId) : faultsOf(parsed.error)
    if (parsed.success && !fault) apps.push(toHubApp(parsed.data, false))
    else {
      const appId = appIdOf(entry)
      if (appId && fault) ignored.set(appId, fault)
      notices.push(
        `IDENTITY_SSO_APP_REGISTRY_JSON: entry ${index + 1}${appId ? ` (${appId})` : ''} is ignored: ${fault}`,
      )
    }
  }
  return { apps, ignored }
}

// A value that is not a valid id may be anything, even a misplaced secret, so messages do not repeat it.
const appIdOf = (entry: unknown): string | undefined =>
  z.object({ appId: z.string().regex(APP_ID) }).safeParse(entry).data?.appId

const overridden = (ids: ReadonlySet<string>, appId: string): string | undefined =>
  ids.has(appId) ? `appId: ${appId} is declared by the application itself` : undefined

const faultsOf = (error: z.ZodError): string =>
  error.issues.map(issue => `${issue.path.join('.') || 'the entry'}: ${issue.message}`).join('; ')

const toHubApp = ({ appId, clientId, origin, callbackPath }: HubAppInput, isCanonical: boolean): HubApp => ({
  appId,
  clientId,
  origin,
  callbackPath,
  isCanonical,
})

// `URL` accepts some characters that no host name has, for example `*`.
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/

/** Returns the origin of another application: https, or http on this machine; undefined for other addresses. */
export function toOrigin(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const { origin, protocol, hostname, pathname, search, hash, username, password } = new URL(value)
  const isBare = HOST.test(hostname) && pathname === '/' && !search && !hash && !username && !password
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isBare && isSafe ? origin : undefined
}
