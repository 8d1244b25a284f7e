// The name that somebody probably meant when they mistyped one.

/** Returns the known name with the fewest changes of letters. */
export function nearestName(name: string, known: readonly string[]): string {
  const distances = known.map(candidate => ({ candidate, far: distance(name, candidate) }))
  return distances.sort((a, b) => a.far - b.far)[0]!.candidate
}

/** A sentence that suggests the nearest name, after a space; empty when more than a third of the letters would change. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = known.length > 0 ? nearestName(name, known) : ''
  return isNear(name, nearest) ? ` Did you mean ${nearest}?` : ''
}

const DASHES = /^-+/

/** Two swapped letters are two changes, so words of four letters and more may have two. */
function isNear(name: string, nearest: string): boolean {
  const [typed, meant] = [name, nearest].map(each => each.replace(DASHES, '')) as [string, string]
  const most = typed.length < 4 ? 1 : Math.max(2, Math.floor(typed.length / 3))
  return meant !== '' && distance(typed, meant) <= most
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
