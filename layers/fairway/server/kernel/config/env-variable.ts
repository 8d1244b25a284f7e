import { z } from 'zod'
import { hostnameOf } from '#fairway/shared/loopback'

/** `0`, `1`, `true` or `false`. */
export const flag = z.enum(['0', '1', 'true', 'false', '']).transform(value => value === '1' || value === 'true')
/** A text that is not blank. */
export const text = z.string().trim().min(1)
/** A number of seconds, zero or more. */
export const seconds = z.coerce.number().int().min(0)
/** A host name without a port, as `URL` writes it. */
export const hostName = text
  .regex(/^(?:[\w.-]+|\[[\da-f:.]+\])$/i, 'each entry must be a host name without a port')
  .refine(name => hostnameOf(name) !== undefined, 'each entry must be a host name without a port')
  .transform(name => hostnameOf(name) ?? name)
/** An origin as `frame-ancestors` accepts it; `*.` matches every subdomain. */
export const FRAME_ORIGIN = /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i

/** The parts of a comma separated list. */
export const splitList = (list: string): string[] =>
  list
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)

/** Parses a JSON text; reports an issue for text that is not JSON. */
export function parseJson(value: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(value)
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' })
    return z.NEVER
  }
}

/** One environment variable: the values that it accepts, and its documentation. */
export interface Variable {
  schema: z.ZodType
  group:
    | 'Server'
    | 'Database'
    | 'Files'
    | 'Secrets'
    | 'Sign-in'
    | 'Organizations'
    | 'Mail'
    | 'Development'
    | 'Pages'
    | 'Remote endpoint'
    | 'Builder'
    | 'Other applications'
    | 'Connections'
    | 'Command line'
  description: string
  /** The value that applies when the variable is not set, in words. */
  unset: string
  example: string
  secret?: boolean
}

/** Declares the settings of one group; each keeps the type of its schema. */
export const inGroup = <const Settings extends Readonly<Record<string, Omit<Variable, 'group'>>>>(
  group: Variable['group'],
  settings: Settings,
) =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, { ...setting, group }])) as {
    [Name in keyof Settings]: Settings[Name] & Pick<Variable, 'group'>
  }

/** An address that further paths are appended to. */
export const folder = z
  .url({ protocol: /^https?$/, error: 'must be an address, for example https://example.com/range/' })
  .refine(address => address.endsWith('/'), 'must end with a slash')
