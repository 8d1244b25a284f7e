import * as schema from '../../server/schema'
import { declaredNames } from './declared-names'

/** Names that begin so are the platform's, also those that it does not have yet. */
const PREFIX = 'fw_'

/** What the platform's tables and their indexes are called. */
export const platformNames = (): string[] => Object.values(schema).flatMap(declaredNames)

/** Tells why an application may not use a name; undefined where it may. */
export function createNameCheck(): (name: string) => string | undefined {
  const taken = new Set(platformNames())
  return name => {
    const lower = name.toLowerCase()
    if (taken.has(lower)) return `the name \`${name}\` is the platform's`
    return lower.startsWith(PREFIX) ? `names that begin with \`${PREFIX}\` are the platform's: \`${name}\`` : undefined
  }
}
