// The names of generated code, in every form that code, files and texts require.
import { UsageFault } from '../terminal'

const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g

/** Splits a name in any form into lowercase words: `dueAt`, `due-at` and `due_at` are `due`, `at`. */
const wordsOf = (name: string): string[] => (name.match(WORDS) ?? []).map(word => word.toLowerCase())

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const toKebab = (name: string): string => wordsOf(name).join('-')
export const toSnake = (name: string): string => wordsOf(name).join('_')
export const toPascal = (name: string): string => wordsOf(name).map(capital).join('')
export const toCamel = (name: string): string => {
  const [first = '', ...rest] = wordsOf(name)
  return first + rest.map(capital).join('')
}
/** Returns the name as people read it: `dueAt` is “Due at”. */
export const toSentence = (name: string): string => capital(wordsOf(name).join(' '))

/** Returns an English noun with its article. */
export const withArticle = (noun: string): string => `${/^(?!uni|use|eu|one)[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`

const IRREGULAR: Readonly<Record<string, string>> = {
  person: 'people',
  child: 'children',
  man: 'men',
  woman: 'women',
  foot: 'feet',
  tooth: 'teeth',
  goose: 'geese',
  mouse: 'mice',
  criterion: 'criteria',
  datum: 'data',
  index: 'indexes',
  analysis: 'analyses',
  leaf: 'leaves',
  life: 'lives',
  knife: 'knives',
  shelf: 'shelves',
  half: 'halves',
  hero: 'heroes',
  potato: 'potatoes',
  tomato: 'tomatoes',
}
const UNCHANGED = /^(news|sheep|fish|series|species|equipment|information|money|software|feedback|staff|inventory)$/

/** Returns the plural of an English noun; of several words, it changes the final one. */
export function pluralOf(name: string): string {
  const words = toKebab(name).split('-')
  const last = words.pop() ?? ''
  return [...words, pluralWord(last)].join('-')
}

function pluralWord(word: string): string {
  if (UNCHANGED.test(word)) return word
  if (Object.hasOwn(IRREGULAR, word)) return IRREGULAR[word] ?? word
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return `${word}s`
}

// Words that cannot be the name of a variable in a module.
const RESERVED = new Set(
  `abstract any arguments as async await boolean break case catch class const constructor continue debugger default delete do else enum
  eval export extends false finally for function get if implements import in instanceof interface let new null of package private
  protected prototype public return set static string super switch symbol this throw true try type typeof undefined var void while
  with yield`.split(/\s+/),
)
const FORM = /^[a-z][A-Za-z0-9]*(-[a-z0-9]+)*$/
const LONGEST = 24

/** Checks the name of something to generate; throws a UsageFault that explains the valid names. */
export function checkName(kind: string, name: string): void {
  if (!FORM.test(name) || name.length > LONGEST)
    throw new UsageFault(
      `“${name}” is no name for ${withArticle(kind)}: it takes up to ${LONGEST} letters and digits, in camelCase or kebab-case, and begins with a small letter.`,
    )
  if (RESERVED.has(toCamel(name)))
    throw new UsageFault(`“${name}” is a word of JavaScript or TypeScript. Give the ${kind} another name.`)
}
