/** The known name that takes the fewest changes of letters to reach. */
export function nearestName(name: string, known: readonly string[]): string {
  const distances = known.map(candidate => ({ candidate, far: distance(name, candidate) }))
  return distances.sort((a, b) => a.far - b.far)[0]!.candidate
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
