// Reads the SQL of a SQLite schema, and translates expressions word by word. What is not in these lists has no twin.

interface Token {
  kind: 'string' | 'blob' | 'name' | 'number' | 'word' | 'sign'
  /** The text as written. Of quoted names, the name. */
  text: string
}

const PATTERN =
  /(?<space>\s+|--.*|\/\*[\s\S]*?(?:\*\/|$))|(?<blob>x'[0-9a-f]*')|(?<string>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?<word>[a-z_\u{80}-\u{10FFFF}][\w$\u{80}-\u{10FFFF}]*)|(?<sign>\|\||<=|>=|<>|!=|==|<<|>>|->>?|[\s\S])/giu

/** Returns the tokens of a piece of SQL, without comments. */
export const tokensOf = (sql: string): Token[] =>
  [...sql.matchAll(PATTERN)].flatMap(({ groups = {} }) => {
    const [kind, text] = Object.entries(groups).find(([, part]) => part !== undefined) ?? ['space', '']
    if (kind === 'space') return []
    return [{ kind: kind as Token['kind'], text: kind === 'name' ? unquoted(text) : text }]
  })

function unquoted(name: string): string {
  const quote = name.at(-1) ?? ''
  return name.slice(1, -1).replaceAll(quote + quote, quote)
}

/** What a token is compared by: names and strings are no keywords. */
function wordOf({ kind, text }: Token = { kind: 'sign', text: '' }): string {
  if (kind === 'name') return `"${text}"`
  return kind === 'word' ? text.toLowerCase() : text
}

const isWord = (token: Token | undefined, ...words: string[]): boolean =>
  (token?.kind === 'word' || token?.kind === 'sign') && words.includes(wordOf(token))

function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at += 1) {
    if (isWord(tokens[at], '(')) depth += 1
    if (isWord(tokens[at], ')')) depth -= 1
    if (depth === 0) return at
  }
  return tokens.length
}

/** Returns the parts between the parenthesis at this place and its end, separated by commas. */
function partsIn(tokens: readonly Token[], open: number): Token[][] {
  const parts: Token[][] = [[]]
  const end = closingOf(tokens, open)
  for (let at = open + 1; at < end; at += 1) {
    const close = isWord(tokens[at], '(') ? closingOf(tokens, at) : at
    if (isWord(tokens[at], ',')) parts.push([])
    else parts.at(-1)?.push(...tokens.slice(at, close + 1))
    at = close
  }
  return parts
}

/** What no pragma tells about a table. */
export interface TableText {
  checks: Token[][]
  /** The expressions of generated columns, by column. */
  generated: Map<string, Token[]>
  collations: Map<string, string>
  /** For each reference, in the order of the text: whether it waits for the end of a transaction. */
  deferred: boolean[]
}

/** Returns the words outside of parentheses, each with the token after it and what its parentheses hold. */
function clausesIn(part: readonly Token[]) {
  const clauses: { word: string; next: Token | undefined; inside: Token[] }[] = []
  for (let at = 0; at < part.length; at += 1) {
    const next = part[at + 1]
    const inside = isWord(next, '(') ? part.slice(at + 2, closingOf(part, at + 1)) : []
    if (isWord(part[at], '(')) at = closingOf(part, at)
    else clauses.push({ word: wordOf(part[at]), next, inside })
  }
  return clauses
}

/** Reads the text of a CREATE TABLE. */
export function readTable(sql: string): TableText {
  const tokens = tokensOf(sql)
  const parts = partsIn(
    tokens,
    tokens.findIndex(token => isWord(token, '(')),
  )
  const all = parts.flatMap(part => clausesIn(part).map(clause => ({ ...clause, column: part[0]?.text ?? '' })))
  const named = (name: string) => all.filter(({ word }) => word === name)
  const marks = all.filter(
    ({ word, next }) => word === 'references' || (word === 'initially' && isWord(next, 'deferred')),
  )
  return {
    checks: named('check').map(({ inside }) => inside),
    generated: new Map(named('as').map(({ column, inside }) => [column, inside])),
    collations: new Map(named('collate').map(({ column, next }) => [column, next?.text.toUpperCase() ?? ''])),
    deferred: marks.flatMap(({ word }, i) => (word === 'references' ? [marks[i + 1]?.word === 'initially'] : [])),
  }
}

/** Reads the text of a CREATE INDEX: the expression of each place, and the condition of a partial index. */
export function readIndex(sql: string): { places: Token[][]; condition: Token[] } {
  const tokens = tokensOf(sql)
  const open = tokens.findIndex(token => isWord(token, '('))
  const places = partsIn(tokens, open).map(part => {
    const end = part.findIndex((token, at) => at > 0 && isWord(token, 'asc', 'desc', 'collate'))
    return end === -1 ? part : part.slice(0, end)
  })
  return { places, condition: tokens.slice(closingOf(tokens, open) + 2) }
}

const NOW = 'extract(epoch from now())'
const wordsOf = (text: string): Set<string> => new Set(text.split(' '))
const KEYWORDS = wordsOf('and as between case cast else end in not null or then when')
const QUERY_KEYWORDS = wordsOf(
  `${[...KEYWORDS].join(' ')} all asc by cross desc distinct exists from group having inner join left limit offset on order outer select union using where with`,
)
const FUNCTIONS = wordsOf('abs avg coalesce count lower ltrim max min nullif replace rtrim sum trim upper')
const SIGNS = wordsOf('= <> != < > <= >= + - * / % ( ) , . ||')

/** Words with another twin; the longer sequences first. */
const PHRASES = Object.entries({
  "unixepoch ( 'subsec' )": NOW,
  "julianday ( 'now' )": `(${NOW} / 86400 + 2440587.5)`,
  'unixepoch ( )': `floor(${NOW})::bigint`,
  'is not null': 'IS NOT NULL',
  'is null': 'IS NULL',
  'is not': 'IS DISTINCT FROM',
  is: 'IS NOT DISTINCT FROM',
  'ifnull (': 'coalesce (',
  'instr (': 'strpos (',
  'length (': 'char_length (',
  'as integer )': 'AS bigint )',
  'as text )': 'AS text )',
  true: '1',
  false: '0',
  current_timestamp: "to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')",
  '==': '=',
}).map(([words, twin]) => ({ words: words.split(' '), twin }))

type ToName = (name: string) => string | undefined

/**
 * Returns the expression for PostgreSQL; undefined when a part of it has no twin. `toName` returns the quoted name of a column or
 * table; for a view it returns every name.
 */
export function translated(tokens: readonly Token[], toName: ToName, isQuery = false): string | undefined {
  const twins: string[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const phrase = PHRASES.find(({ words }) => words.every((word, i) => wordOf(tokens[at + i]) === word))
    const twin = phrase?.twin ?? twinOf(tokens.slice(at, at + 2), toName, isQuery)
    if (twin === undefined) return undefined
    twins.push(twin)
    at += (phrase?.words.length ?? 1) - 1
  }
  return twins.join(' ')
}

function twinOf([token, next]: readonly Token[], toName: ToName, isQuery: boolean): string | undefined {
  if (!token) return undefined
  const word = wordOf(token)
  if (token.kind === 'name') return toName(token.text)
  if (token.kind === 'blob') return `'\\x${word.slice(2, -1)}'::bytea`
  if (token.kind === 'sign') return wordIn(SIGNS, word)
  if (token.kind !== 'word') return word
  if ((isQuery ? QUERY_KEYWORDS : KEYWORDS).has(word)) return word.toUpperCase()
  return isWord(next, '(') ? wordIn(FUNCTIONS, word) : toName(token.text)
}

const wordIn = (words: Set<string>, word: string): string | undefined => (words.has(word) ? word : undefined)
