// Folding makes texts comparable as people read them: without case, marks and forms of a letter. The database folds with the same
// characters (`kernel/folding`).

/** Characters that folding leaves alone. The database skips them in one step, so the frequent ones come first. */
export const PLAIN = ' enisratdhulcgmobwfkzvpjyxqENISRATDHULCGMOBWFKZVPJYXQ0123456789.,-/()!_\n\t\r*+=#%&<>[]{}|~^`\\'

/** A text with more different characters besides the plain ones is folded by the case of A to Z only, which limits the cost. */
export const MOST_CHARACTERS = 150

/** Marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters, which folding removes. */
const MARKS =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/gu

/** The blocks whose characters are folded. Unicode does not change what is assigned there. */
const BLOCKS = [
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x52f],
  [0x531, 0x587],
  [0x591, 0x5c7],
  [0x610, 0x670],
  [0x1e00, 0x1fff],
  [0x2126, 0x212b],
  [0x3000, 0x3000],
  [0xfb00, 0xfb06],
  [0xff01, 0xff5e],
] as const

/** Letters without a decomposition, in their lower case. */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  ŋ: 'n',
  ĸ: 'q',
}

const decomposed = (text: string): string => text.normalize('NFKD').replace(MARKS, '')

// `ß` and `ſ` have their plain form only in upper case, `ẞ` only in lower case.
function foldedCharacter(character: string): string {
  const cased = decomposed(character).toLowerCase().toUpperCase().toLowerCase()
  return decomposed(cased).replace(/\P{ASCII}/gu, letter => LETTERS[letter] ?? letter)
}

function createFolds(): Map<string, string> {
  const codes = BLOCKS.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
  const folds = codes.map(code => {
    const character = String.fromCodePoint(code)
    const isSpace = character.trim() === ''
    const isLetter = /[\p{L}\uff01-\uff5e]/u.test(character) || character.match(MARKS) !== null
    const folded = isSpace ? ' ' : foldedCharacter(character)
    return [character, isSpace || (isLetter && !folded.startsWith(' ')) ? folded : character] as const
  })
  return new Map(folds.filter(([character, folded]) => character !== folded))
}

/** Each character that folding changes, and its folded form. */
export const FOLDS: ReadonlyMap<string, string> = createFolds()

/**
 * Returns a text without case, marks and forms of its letters: `Ärzte`, `ARZTE` and a decomposed `ärzte` become `arzte`. Folding
 * twice changes nothing.
 */
export function foldText(text: string): string {
  const lower = text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
  if (!/\P{ASCII}/u.test(text)) return lower
  const others = new Set([...text].filter(character => !PLAIN.includes(character)))
  // SQLite ends a text at its null character.
  if (others.size > MOST_CHARACTERS || text.includes('\0')) return lower
  return lower.replace(/\P{ASCII}/gu, character => FOLDS.get(character) ?? character)
}

/** Returns whether a text contains another one, folded. */
export const containsFolded = (text: string, part: string): boolean => foldText(text).includes(foldText(part))
