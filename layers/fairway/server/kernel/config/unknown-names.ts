import { envTable } from './env'
import { nearestName } from './nearest-name'

/** Names that look like ours but are not in the table, each with the nearest known name. */
export function unknownNames(source: Record<string, string | undefined>): { name: string; nearest: string }[] {
  const known = Object.keys(envTable)
  return Object.keys(source)
    .filter(name => name.startsWith('FW_') && !Object.hasOwn(envTable, name))
    .map(name => ({ name, nearest: nearestName(name, known) }))
}
