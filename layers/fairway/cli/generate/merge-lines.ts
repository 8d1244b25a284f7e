// A three-way merge of lines, as in `git merge-file`.
import { diffArrays } from 'diff'

interface Edit {
  /** The replaced lines of the base: from `start` up to, but without, `end`. */
  start: number
  end: number
  lines: readonly string[]
}

/**
 * Merges two versions of a text that come from the same base. Undefined when both change the same lines in different ways. Entries
 * that both add to a list at the same place are all there, those of `edited` first.
 */
export function mergeLines(edited: string, base: string, other: string): string | undefined {
  const lines = linesOf(base)
  const mine = editsOf(lines, linesOf(edited))
  const theirs = editsOf(lines, linesOf(other))
  const merged: Edit[] = [...mine]
  for (const edit of theirs) {
    const near = mine.filter(each => isConflict(each, edit))
    const [same] = near
    if (!same) merged.push(edit)
    else if (near.length > 1) return undefined
    else if (isListEntry(same) && isListEntry(edit) && !isEqual(same, edit)) merged.push(edit)
    else if (!isEqual(same, edit)) return undefined
  }
  // The sort is stable: at the same place, the author's lines come first.
  const inOrder = merged.toSorted((a, b) => a.start - b.start || a.end - b.end)
  let at = 0
  const result: string[] = []
  for (const { start, end, lines: replacement } of inOrder) {
    result.push(...lines.slice(at, start), ...replacement)
    at = end
  }
  return [...result, ...lines.slice(at)].join('')
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function editsOf(base: string[], changed: string[]): Edit[] {
  const edits: Edit[] = []
  let at = 0
  for (const { added, removed, value } of diffArrays(base, changed)) {
    if (!added && !removed) {
      at += value.length
      continue
    }
    // A replacement is a removal and an addition at the same place.
    const last = edits.at(-1)
    const isSamePlace = last?.end === at
    const edit = isSamePlace ? last : { start: at, end: at, lines: [] }
    if (!isSamePlace) edits.push(edit)
    if (added) edit.lines = [...edit.lines, ...value]
    if (removed) edit.end = at += value.length
  }
  return edits
}

/** Whether two edits change the same lines, or insert at the same place. */
const isConflict = (a: Edit, b: Edit): boolean =>
  (a.start < b.end && b.start < a.end) || a.start === b.start || isInside(a, b) || isInside(b, a)

/** Whether an edit inserts lines within the lines that the other one replaces. */
const isInside = ({ start, end }: Edit, other: Edit): boolean =>
  start === end && other.start < start && start < other.end

const isEqual = (a: Edit, b: Edit): boolean =>
  a.start === b.start && a.end === b.end && a.lines.join('') === b.lines.join('')

/** Whether an edit only adds entries of one line each, such as the fields of an object. */
function isListEntry({ start, end, lines }: Edit): boolean {
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? ''
  return (
    start === end && lines.every(line => line.startsWith(`${indent}`) && /^\S.*,\n$/.test(line.slice(indent.length)))
  )
}
