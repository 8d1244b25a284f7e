import { envTable } from './env'

/** Names that look like ours but are not in the table, each with the nearest known name. */
export function unknownNames(source: Record<string, string | undefined>): { name: string; nearest: string }[] {
  return Object.keys(source)
    .filter(name => name.startsWith('FW_') && !Object.hasOwn(envTable, name))
    .map(name => ({ name, nearest: nearestName(name) }))
}

function nearestName(name: string): string {
  const distances = Object.keys(envTable).map(known => ({ known, far: distance(name, known) }))
  return distances.sort((a, b) => a.far - b.far)[0]!.known
}

// Levenshtein distance with one row of memory.
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]!
}
