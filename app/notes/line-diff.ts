/** A line of a comparison: in both texts, or in one of them. `gap` replaces unchanged lines. */
export interface DiffLine {
  kind: 'same' | 'mine' | 'theirs' | 'gap'
  text: string
}

/** Lines of one text times lines of the other. A longer comparison shows each text as one block. */
const MOST_COMPARED = 1_000_000
/** The number of unchanged lines shown around a change. */
const AROUND = 2

/** The differences between two texts, line by line, with the lines around each. */
export function lineDiff(mine: string, theirs: string): DiffLine[] {
  const [ours, others] = [mine.split('\n'), theirs.split('\n')]
  const shorter = Math.min(ours.length, others.length)
  let start = 0
  while (start < shorter && ours[start] === others[start]) start++
  let end = 0
  while (end < shorter - start && ours.at(-1 - end) === others.at(-1 - end)) end++
  return withoutSame([
    ...as('same', ours.slice(0, start)),
    ...changed(ours.slice(start, ours.length - end), others.slice(start, others.length - end)),
    ...as('same', ours.slice(ours.length - end)),
  ])
}

const as = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map(text => ({ kind, text }))

/** Uses the longest common subsequence of lines. */
function changed(mine: readonly string[], theirs: readonly string[]): DiffLine[] {
  if (mine.length * theirs.length > MOST_COMPARED) return [...as('mine', mine), ...as('theirs', theirs)]
  const width = theirs.length + 1
  const common = new Uint32Array((mine.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = mine.length - 1; row >= 0; row--)
    for (let column = theirs.length - 1; column >= 0; column--)
      common[row * width + column] =
        mine[row] === theirs[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < mine.length && column < theirs.length) {
    if (mine[row] === theirs[column]) {
      lines.push(...as('same', mine.slice(row, row + 1)))
      row++
      column++
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push(...as('mine', mine.slice(row, ++row)))
    else lines.push(...as('theirs', theirs.slice(column, ++column)))
  }
  return [...lines, ...as('mine', mine.slice(row)), ...as('theirs', theirs.slice(column))]
}

/** Replaces unchanged lines far from any change with a gap. */
function withoutSame(lines: readonly DiffLine[]): DiffLine[] {
  const shown: DiffLine[] = []
  for (const [index, line] of lines.entries()) {
    const near = lines.slice(Math.max(0, index - AROUND), index + AROUND + 1)
    if (near.some(({ kind }) => kind !== 'same')) shown.push(line)
    else if (shown.at(-1)?.kind !== 'gap') shown.push({ kind: 'gap', text: '' })
  }
  return shown
}
