import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, parseDocument, type ToStringOptions, YAMLMap } from 'yaml'

type YamlEntry = Readonly<Record<string, unknown>>

/** Common indentation styles; the first one that reproduces the file is used. */
const STYLES: ToStringOptions[] = [2, 4].flatMap(indent =>
  [true, false].map(indentSeq => ({ indent, indentSeq, lineWidth: 0 })),
)

/**
 * Returns the text of a YAML file with one entry set in one section (`extensions.fairway`); a new entry also gets the defaults.
 * All other entries, their order and comments stay. Members that the person added to the entry stay too, unless its `type` was
 * different. Throws a SyntaxError for a file that cannot be read.
 */
export function setYamlEntry(
  text: string,
  [section, name]: readonly [section: string, name: string],
  { entry, defaults }: { entry: YamlEntry; defaults: YamlEntry },
): string {
  const plain = text.replaceAll('\r\n', '\n')
  const document = read(plain)
  const style = STYLES.find(each => document.toString(each) === plain) ?? STYLES[0]
  const before: unknown = document.toJS()
  const part = sectionIn(rootOf(document), section)
  const present = part.get(name)
  if (isMap(present) && present.get('type') === entry.type) {
    // An unchanged value keeps its spelling.
    for (const [key, value] of Object.entries(entry)) if (present.get(key) !== value) present.set(key, value)
  } else part.set(name, document.createNode({ ...entry, ...defaults }))
  if (isDeepStrictEqual(before, document.toJS())) return text
  const after = document.toString(style)
  return text.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after
}

/** Returns the map at the root of the file. */
function rootOf(document: Document): YAMLMap {
  document.contents ??= new YAMLMap()
  if (isMap(document.contents)) return document.contents
  throw new SyntaxError('the file holds no map')
}

/** Returns the section of this name, or an empty one. */
function sectionIn(root: YAMLMap, name: string): YAMLMap {
  const present = root.get(name)
  if (isMap(present)) return present
  if (present !== undefined && present !== null) throw new SyntaxError(`“${name}” in the file is no map`)
  const map = new YAMLMap()
  root.set(name, map)
  return map
}

function read(text: string): Document {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (!fault) return document
  const { line = 1, col = 1 } = fault.linePos?.[0] ?? {}
  throw new SyntaxError(`line ${line}, column ${col}`)
}
