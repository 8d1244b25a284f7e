import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'

/** The places where the code asks with `in` for a name that it does not know: every object inherits some. */
function inheritedLookups(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword && !isConstant(node.left))
      found.push(`${path}: ${node.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const isConstant = (node: ts.Expression): boolean =>
  ts.isStringLiteral(node) ||
  (ts.isIdentifier(node) && /^[A-Z_]+$/.test(node.text)) ||
  node.getText().startsWith('Symbol.')

it('the server looks names up in own properties or maps', () => {
  const files = globSync('{server,shared,testing}/**/*.{ts,tsx}', { cwd: platformDir })
  expect(files.length).toBeGreaterThan(400)
  expect(files.flatMap(path => inheritedLookups(path, readFileSync(join(platformDir, path), 'utf8')))).toEqual([])
  expect(inheritedLookups('x.ts', 'export const has = (name: string) => name in plans')).toEqual([
    'x.ts: name in plans',
  ])
})
