// Adds app roles to fw.config.ts. The existing text stays, byte for byte: names are inserted at positions from the syntax tree.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseModule } from 'magicast'
import { z } from 'zod'
import { readIn } from '../project/changes'
import { fits, fitted, quoted } from './layout'
import { checkName, toKebab } from './names'
import type { GeneratePlan } from './plan'
import { UsageFault } from '../terminal'

const CONFIG = 'fw.config.ts'
const CURE = `Write them into ${CONFIG} yourself.`

/** Plans further roles of an application. In a first declaration, the final role becomes the default. */
export function planRoles(root: string, { names }: { names: readonly string[] }): GeneratePlan {
  if (names.length === 0) throw new UsageFault('Name at least one role: fw generate role curator reader')
  for (const name of names) checkName('role', name)
  const before = readIn(root, CONFIG)
  const after = withRoles(before ?? EMPTY, names.map(toKebab), appIdOf(root))
  return {
    changes: before === after ? [] : [{ path: CONFIG, before, after }],
    kept: [],
    remarks: [],
    next: [
      `let actions ask for it: guard: appRoles.requireAny(${quoted(toKebab(names[0] ?? ''))})`,
      'assign it to people on /team/roles',
    ],
  }
}

const EMPTY = `import { defineFwConfig } from '#fw'

export default defineFwConfig({})
`

function appIdOf(root: string): string {
  const file = join(root, 'package.json')
  const parsed = existsSync(file)
    ? z.object({ name: z.string() }).safeParse(JSON.parse(readFileSync(file, 'utf8')))
    : undefined
  const id = toKebab(parsed?.data?.name.replace(/^@[^/]*\//, '') ?? '')
  return /^[a-z]/.test(id) ? id.slice(0, 64) : 'app'
}

// Only the parts of the syntax tree that this file reads.
const node = z.looseObject({ type: z.string(), start: z.number(), end: z.number() })
const listNode = node.extend({
  type: z.literal('ArrayExpression'),
  elements: z.array(z.looseObject({ value: z.string().optional() })),
})
const key = z.looseObject({ name: z.string().optional() })
const objectNode = node.extend({
  type: z.literal('ObjectExpression'),
  properties: z.array(node.extend({ key: key.optional(), value: z.unknown().optional() })),
})
const callNode = node.extend({
  type: z.literal('CallExpression'),
  callee: key,
  arguments: z.array(z.unknown()),
})

/**
 * Returns the text of an fw.config.ts with these roles added to `defineAppRoles`; throws a UsageFault for an unsupported
 * structure.
 */
export function withRoles(text: string, names: readonly string[], appId: string): string {
  const calls = callsIn(parseModule(text).$ast)
  const declared = calls.find(({ callee }) => callee.name === 'defineAppRoles')
  return declared ? added(text, declared, names) : declaredAnew(text, { calls, names, appId })
}

function callsIn(tree: unknown): z.output<typeof callNode>[] {
  if (typeof tree !== 'object' || tree === null) return []
  const call = callNode.safeParse(tree)
  const below = Object.entries(tree).flatMap(([name, value]) =>
    name === 'loc' || name === 'tokens' || name === 'original' ? [] : [value].flat().flatMap(callsIn),
  )
  return call.success ? [call.data, ...below] : below
}

const propertyOf = (call: z.output<typeof callNode>, name: string): unknown =>
  objectNode.safeParse(call.arguments[0]).data?.properties.find(property => property.key?.name === name)?.value

function added(text: string, call: z.output<typeof callNode>, names: readonly string[]): string {
  const list = listNode.safeParse(propertyOf(call, 'roles'))
  if (!list.success || list.data.elements.some(({ value }) => value === undefined))
    throw new UsageFault(`The roles in ${CONFIG} are no plain list, so they cannot be changed here. ${CURE}`)
  const { start, end, elements } = list.data
  const missing = names.filter(name => !elements.some(({ value }) => value === name))
  if (missing.length === 0) return text
  const inside = text.slice(start + 1, end - 1)
  const isBelow = inside.includes('\n')
  const indent = /\n(\s*)\S/.exec(inside)?.[1] ?? '  '
  const present = inside.trimEnd().replace(/,$/, '')
  const more = missing.map(quoted)
  const whole = isBelow
    ? `${present},${more.map(name => `\n${indent}${name},`).join('')}${/\n\s*$/.exec(inside)?.[0] ?? '\n'}`
    : [present, ...more].filter(Boolean).join(', ')
  const changed = `${text.slice(0, start + 1)}${whole}${text.slice(end - 1)}`
  return narrowed(changed, { from: call.start, by: changed.length - text.length, to: call.end })
}

/** Puts each option on a separate line when the call no longer fits on one. */
function narrowed(text: string, { from, by, to }: { from: number; by: number; to: number }): string {
  const line = text.slice(text.lastIndexOf('\n', from) + 1, to + by)
  if (line.includes('\n') || fits(line)) return text
  const call = callsIn(parseModule(text).$ast).find(({ callee }) => callee.name === 'defineAppRoles')
  const options = objectNode.safeParse(call?.arguments[0]).data
  if (!options) return text
  const parts = options.properties.map(({ start, end }) => `  ${text.slice(start, end)},\n`)
  return `${text.slice(0, options.start)}{\n${parts.join('')}}${text.slice(options.end)}`
}

interface NewRoles {
  calls: readonly z.output<typeof callNode>[]
  names: readonly string[]
  appId: string
}

function declaredAnew(text: string, { calls, names, appId }: NewRoles): string {
  const config = calls.find(({ callee }) => callee.name === 'defineFwConfig')
  const options = objectNode.safeParse(config?.arguments[0])
  const imported = /import \{([^}]*)\} from '#fw'/.exec(text)
  const exported = text.indexOf('export default')
  if (!options.success || !imported || exported < 0)
    throw new UsageFault(
      `${CONFIG} is not written as \`export default defineFwConfig({ … })\`, so roles cannot be put into it here. ${CURE}`,
    )
  const declaration = fitted(
    [
      `appId: ${quoted(appId)}`,
      `roles: [${names.map(quoted).join(', ')}]`,
      `defaultRole: ${quoted(names.at(-1) ?? '')}`,
    ],
    {
      before: 'export const appRoles = defineAppRoles(',
      open: '{',
      close: '}',
      after: ')',
    },
  )
  const imports = [...new Set([...(imported[1] ?? '').split(',').flatMap(name => name.trim() || []), 'defineAppRoles'])]
  const head = text.slice(0, exported).replace(imported[0], `import { ${imports.toSorted().join(', ')} } from '#fw'`)
  return `${head}${declaration}\n\n${withAppRoles(text, { from: exported, options: options.data })}`
}

/** Returns the text from a position on, with `appRoles` as the final option. Commas and comments stay where they are. */
function withAppRoles(
  text: string,
  { from, options: { start, end, properties } }: { from: number; options: z.output<typeof objectNode> },
): string {
  const last = properties.at(-1)?.end ?? start + 1
  const rest = text.slice(last, end - 1)
  const comma = properties.length === 0 || /^\s*,/.test(rest) ? '' : ','
  const indent = /^\s*\n(\s+)/.exec(text.slice(start + 1, end - 1))?.[1]
  const put = indent === undefined ? ' appRoles ' : `\n${indent}appRoles,\n`
  return `${text.slice(from, last)}${comma}${rest.trimEnd()}${put}${text.slice(end - 1)}`
}
