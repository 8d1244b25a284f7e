import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Node, parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'

/** The places where the code asks with `in` for a name that it does not know: every object inherits some. */
function inheritedLookups(path: string, source: string): string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type === 'BinaryExpression' && node.operator === 'in' && !isConstant(node.left))
      found.push(`${path}: ${source.slice(node.start, node.end)}`)
    Object.values(node).forEach(visit)
  }
  visit(parseSync(path, source).program)
  return found
}

const isConstant = (node: Node): boolean =>
  node.type === 'Literal' ||
  (node.type === 'Identifier' && /^[A-Z_]+$/.test(node.name)) ||
  (node.type === 'MemberExpression' && node.object.type === 'Identifier' && node.object.name === 'Symbol')

it('the server looks names up in own properties or maps', () => {
  const files = globSync('{server,shared,testing}/**/*.{ts,tsx}', { cwd: platformDir })
  expect(files.length).toBeGreaterThan(400)
  expect(files.flatMap(path => inheritedLookups(path, readFileSync(join(platformDir, path), 'utf8')))).toEqual([])
  expect(inheritedLookups('x.ts', 'export const has = (name: string) => name in plans')).toEqual([
    'x.ts: name in plans',
  ])
})
