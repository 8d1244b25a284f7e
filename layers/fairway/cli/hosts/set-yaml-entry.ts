import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, parseDocument, type ToStringOptions, YAMLMap } from 'yaml'

type YamlEntry = Readonly<Record<string, unknown>>

/** How programs and people indent; the first one that gives the file back as it is decides. */
const STYLES: ToStringOptions[] = [2, 4].flatMap(indent =>
  [true, false].map(indentSeq => ({ indent, indentSeq, lineWidth: 0 })),
)

/**
 * The text of a YAML file with one entry set in one section (`extensions.fairway`); a new entry gets the defaults too. All other
 * entries, their order and comments stay, and what the person has added to the entry, unless its `type` was another. Throws a
 * SyntaxError for a file that cannot be read.
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
    // A value that is the same keeps its spelling.
    for (const [key, value] of Object.entries(entry)) if (present.get(key) !== value) present.set(key, value)
  } else part.set(name, document.createNode({ ...entry, ...defaults }))
  if (isDeepStrictEqual(before, document.toJS())) return text
  const after = document.toString(style)
  return text.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after
}

/** The map that the file is. */
function rootOf(document: Document): YAMLMap {
  document.contents ??= new YAMLMap()
  if (isMap(document.contents)) return document.contents
  throw new SyntaxError('the file holds no map')
}

/** The section of this name, an empty one where there is none. */
function sectionIn(root: YAMLMap, name: string): YAMLMap {
  const present = root.get(name)
  if (isMap(present)) return present
  if (present !== undefined && present !== null) throw new SyntaxError(`“${name}” in the file is no map`)
  const made = new YAMLMap()
  root.set(name, made)
  return made
}

function read(text: string): Document {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (!fault) return document
  const { line = 1, col = 1 } = fault.linePos?.[0] ?? {}
  throw new SyntaxError(`line ${line}, column ${col}`)
}
