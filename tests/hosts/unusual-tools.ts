// Tools that hosts treat in special ways, each with one trait. `record-tools.ts` shows them to released hosts.
import type { ServerTools } from '#fairway/cli/hosts/tool-traits'

type Tool = ServerTools['tools'][number]
type Schema = Tool['inputSchema']

/** The beginning of a tool's description. */
export const markOf = (name: string): string => `Tool ${name}.`

const text = { type: 'string' }
const object = (properties: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
})
/** A tool whose description begins with its own mark, by which a recording finds it under another name. */
const tool = (name: string, inputSchema: Schema = object(), length = 0): Tool => ({
  name,
  description: markOf(name).padEnd(length, 'x'),
  inputSchema,
})
const parts = [object({ a: text }), object({ b: text })]
/** An input with 46 described fields and one more, whose description fills it to this size. */
function sized(bytes: number): Schema {
  const fields = Object.fromEntries(
    Array.from({ length: 46 }, (_, index) => [`field${index + 10}`, { ...text, description: 'x'.repeat(50) }]),
  )
  const last = (length: number) => object({ ...fields, last: { ...text, description: 'x'.repeat(length) } })
  return last(bytes - JSON.stringify(last(0)).length)
}

export const unusualTools: readonly Tool[] = [
  tool('plain', object({ a: text })),
  // With its prefix, each of these pairs is at a limit of a host and one above it.
  ...[51, 52, 56, 57, 114, 115].map((length, index) => tool('bcdefg'.charAt(index).repeat(length))),
  tool(`${'s'.repeat(60)}-one-${'s'.repeat(40)}`),
  tool(`${'s'.repeat(60)}-two-${'s'.repeat(40)}`),
  tool('description-4096', object(), 4096),
  tool('description-4097', object(), 4097),
  tool('field-umlaut', object({ größe: text })),
  tool('field-long', object({ ['x'.repeat(65)]: text })),
  tool('field-fine', object({ 'a.b': text, 'c-d': text, deep: object({ größe: text }) })),
  tool('items-list', object({ a: { type: 'array', items: [text] } })),
  tool('items-missing', object({ a: { type: 'array' } })),
  tool('type-unknown', object({ a: { type: 'strin' } })),
  tool('union-empty', object({ a: { anyOf: [] } })),
  tool('length-negative', object({ a: { ...text, minLength: -1 } })),
  tool('required-twice', object({ a: text }, { required: ['a', 'a'] })),
  tool('any-of', { type: 'object', anyOf: parts }),
  tool('one-of', { type: 'object', oneOf: parts }),
  tool('all-of', { type: 'object', allOf: parts }),
  tool(
    'limits',
    object({ a: { ...text, pattern: '^x', minLength: 1, default: 'x' }, b: { type: 'integer', minimum: 1 } }),
  ),
  tool('input-5000', sized(5000)),
  tool('input-5001', sized(5001)),
]
