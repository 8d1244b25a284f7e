// PATCH as Okta and Entra ID send it (RFC 7644 §3.5.2): operations in any case, with and without a path, paths with dots, filters
// and URNs. It changes a plain document.
import { z } from 'zod'
import { ScimError } from './scim-error'
import { type Comparison, parseFilter } from './scim-filter'

/** The attributes of a resource, as a directory sent them. */
export type ScimDocument = Record<string, unknown>

const MOST_OPERATIONS = 1000
const patchSchema = z.looseObject({
  Operations: z
    .array(z.looseObject({ op: z.string(), path: z.string().max(500).optional(), value: z.unknown().optional() }))
    .min(1)
    .max(MOST_OPERATIONS),
})

/** A place in a document: an attribute, perhaps of an extension, entries of it by a filter, and an attribute of those. */
interface Path {
  extension?: string
  attribute: string
  filter?: Comparison[]
  sub?: string
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:\w+$/i
const STEPS = /^([A-Za-z$][\w$-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w$-]*))?$/

/** One change of one place. */
export interface Change {
  op: 'add' | 'replace' | 'remove'
  path: Path
  value: unknown
}

/** Reads the operations of a PATCH, one change for each place. Throws ScimError. */
export function readPatch(body: unknown): Change[] {
  const patch = patchSchema.safeParse(body)
  if (!patch.success) throw new ScimError('A PATCH has Operations, each with an op.', 'invalidSyntax')
  return patch.data.Operations.flatMap(({ op, path, value }) => {
    const name = op.toLowerCase()
    if (name !== 'add' && name !== 'replace' && name !== 'remove')
      throw new ScimError(`There is no operation ${op}.`, 'invalidSyntax')
    if (path !== undefined) return { op: name, path: parsePath(path), value }
    if (name === 'remove') throw new ScimError('Name what to remove in path.', 'noTarget')
    if (!isRecord(value)) throw new ScimError('Without a path, value is an object.', 'invalidValue')
    return Object.entries(value).map(([key, each]) => ({ op: name, path: parsePath(key), value: each }))
  })
}

/** Returns the document after these changes; the given one stays as it is. */
export function applyChanges(document: ScimDocument, changes: readonly Change[]): ScimDocument {
  const changed = structuredClone(document)
  for (const { op, path, value } of changes) {
    if (op === 'remove') removeAt(changed, path, value)
    else setAt(changed, path, value, op === 'add')
  }
  return changed
}

/** Returns the document after the operations of a PATCH; the given one stays as it is. Throws ScimError. */
export const applyPatch = (document: ScimDocument, body: unknown): ScimDocument =>
  applyChanges(document, readPatch(body))

/** The document with these names spelled as here, because names are compared without case (RFC 7643 §2.1). */
export function withKnownNames(document: ScimDocument, names: readonly string[]): ScimDocument {
  const known = new Map(names.map(name => [name.toLowerCase(), name]))
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => [known.get(name.toLowerCase()) ?? name, value]),
  )
}

function parsePath(text: string): Path {
  const colon = text.startsWith('urn:') ? text.replace(/\[.*$/, '').lastIndexOf(':') : -1
  const urn = colon < 0 ? undefined : text.slice(0, colon)
  const match = STEPS.exec(text.slice(colon + 1))
  // The name of an extension alone: its version is no attribute.
  if (urn !== undefined && !CORE.test(urn) && (!match || /^urn:.*:\d+\.\d+:\w+$/.test(text))) return { attribute: text }
  if (!match) throw new ScimError(`The path ${text} is not supported.`, 'invalidPath')
  const [, attribute = '', filter, sub] = match
  return {
    ...(urn === undefined || CORE.test(urn) ? {} : { extension: urn }),
    attribute,
    ...(filter === undefined ? {} : { filter: parseFilter(filter) }),
    sub,
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The name as the document spells it: names are compared without case (RFC 7643 §2.1). */
const spelled = (document: ScimDocument, name: string): string =>
  Object.keys(document).find(key => key.toLowerCase() === name.toLowerCase()) ?? name

function placeOf(document: ScimDocument, { extension }: Path): ScimDocument {
  if (extension === undefined) return document
  const key = spelled(document, extension)
  const value = document[key]
  if (isRecord(value)) return value
  const place: ScimDocument = {}
  document[key] = place
  return place
}

const entriesOf = (value: unknown): ScimDocument[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const matches = (entry: ScimDocument, filter: readonly Comparison[]): boolean =>
  filter.every(
    ({ attribute, value }) => String(entry[spelled(entry, attribute)] ?? '').toLowerCase() === value.toLowerCase(),
  )

function setAt(document: ScimDocument, path: Path, value: unknown, isAdded: boolean): void {
  const place = placeOf(document, path)
  const key = spelled(place, path.attribute)
  if (path.filter) return setEntries(place, key, path, value)
  if (path.sub !== undefined) {
    const held = isRecord(place[key]) ? place[key] : {}
    place[key] = held
    held[spelled(held, path.sub)] = value
    return
  }
  const before = place[key]
  if (isAdded && Array.isArray(before)) place[key] = merged(before, [value].flat())
  else if (isRecord(before) && isRecord(value)) place[key] = { ...before, ...value }
  else place[key] = value
}

/** Entra ID replaces entries that are not there yet: then they are made. */
function setEntries(place: ScimDocument, key: string, { filter = [], sub }: Path, value: unknown): void {
  const entries = entriesOf(place[key])
  const matching = entries.filter(entry => matches(entry, filter))
  const newEntry = Object.fromEntries(filter.map(({ attribute, value: wanted }) => [attribute, wanted]))
  const targets = matching.length > 0 ? matching : [newEntry]
  if (matching.length === 0) entries.push(newEntry)
  for (const entry of targets) {
    if (sub !== undefined) entry[spelled(entry, sub)] = value
    else if (isRecord(value)) Object.assign(entry, value)
  }
  place[key] = entries
}

/** Both lists, without entries that are there already. */
function merged(before: readonly unknown[], added: readonly unknown[]): unknown[] {
  const keyOf = (entry: unknown) => (isRecord(entry) ? String(entry.value ?? JSON.stringify(entry)) : String(entry))
  const known = new Set(before.map(keyOf))
  return [...before, ...added.filter(entry => !known.has(keyOf(entry)))]
}

/** Entra ID names the entries to remove in value. */
export const namedIn = (value: unknown): string[] =>
  [value].flat().flatMap(entry => (isRecord(entry) && 'value' in entry ? String(entry.value) : []))

function removeAt(document: ScimDocument, path: Path, value: unknown): void {
  const place = placeOf(document, path)
  const key = spelled(place, path.attribute)
  if (path.filter) {
    const { filter, sub } = path
    const entries = entriesOf(place[key])
    for (const entry of entries) if (sub !== undefined && matches(entry, filter)) delete entry[spelled(entry, sub)]
    place[key] = sub === undefined ? entries.filter(entry => !matches(entry, filter)) : entries
    return
  }
  if (Array.isArray(value) || isRecord(value)) {
    const named = new Set(namedIn(value))
    place[key] = entriesOf(place[key]).filter(entry => !named.has(String(entry.value)))
  } else if (path.sub === undefined) delete place[key]
  else if (isRecord(place[key])) delete place[key][spelled(place[key], path.sub)]
}
