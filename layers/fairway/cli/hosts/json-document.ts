/** A value in a JSON text with comments, with where it lies. */
export interface JsonNode {
  kind: 'object' | 'array' | 'other'
  start: number
  end: number
  value: unknown
  members: { key: string; node: JsonNode }[]
  /** Where the last member or element ends; undefined when there is none. */
  lastEnd?: number
  /** Whether a comma follows the last member. */
  hasTrailingComma: boolean
}

interface Reader {
  text: string
  at: number
}

const SCALAR = /"(?:[^"\\\n\r]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const SPACE = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const MAX_DEPTH = 200

/** Reads JSON that may hold comments and trailing commas, as editors write it; throws a SyntaxError with line and column. */
export function parseJsonDocument(text: string): JsonNode {
  const reader = { text, at: 0 }
  skip(reader)
  const root = readValue(reader, 0)
  skip(reader)
  if (reader.at < text.length) throw faultAt(reader)
  return root
}

function readValue(reader: Reader, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw faultAt(reader)
  if (has(reader, '{')) return readList(reader, 'object', depth)
  if (has(reader, '[')) return readList(reader, 'array', depth)
  const start = reader.at
  const value = readScalar(reader)
  return { kind: 'other', start, end: reader.at, value, members: [], hasTrailingComma: false }
}

function readList(reader: Reader, kind: 'object' | 'array', depth: number): JsonNode {
  const close = kind === 'object' ? '}' : ']'
  const node: JsonNode = {
    kind,
    start: reader.at,
    end: reader.at,
    value: undefined,
    members: [],
    hasTrailingComma: false,
  }
  reader.at++
  skip(reader)
  while (!has(reader, close)) {
    const key = kind === 'object' ? readKey(reader) : ''
    const child = readValue(reader, depth + 1)
    node.members.push({ key, node: child })
    node.lastEnd = child.end
    skip(reader)
    node.hasTrailingComma = has(reader, ',')
    if (node.hasTrailingComma) reader.at++
    else if (!has(reader, close)) throw faultAt(reader)
    skip(reader)
  }
  reader.at++
  node.end = reader.at
  node.value = kind === 'object' ? toObject(node) : node.members.map(member => member.node.value)
  return node
}

const toObject = ({ members }: JsonNode) => Object.fromEntries(members.map(({ key, node }) => [key, node.value]))

function readKey(reader: Reader): string {
  const key = readScalar(reader)
  if (typeof key !== 'string') throw faultAt(reader)
  skip(reader)
  if (!has(reader, ':')) throw faultAt(reader)
  reader.at++
  skip(reader)
  return key
}

function readScalar(reader: Reader): unknown {
  SCALAR.lastIndex = reader.at
  const found = SCALAR.exec(reader.text)?.[0]
  if (found === undefined) throw faultAt(reader)
  try {
    const value: unknown = JSON.parse(found)
    reader.at += found.length
    return value
  } catch {
    throw faultAt(reader)
  }
}

const has = ({ text, at }: Reader, sign: string): boolean => text[at] === sign

function skip(reader: Reader): void {
  SPACE.lastIndex = reader.at
  reader.at += SPACE.exec(reader.text)?.[0].length ?? 0
}

function faultAt({ text, at }: Reader): SyntaxError {
  const lines = text.slice(0, at).split('\n')
  return new SyntaxError(`line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`)
}
