import { type Node, type Program, visitorKeys } from 'oxc-parser'

/** Every name that a file gives to something of its own, wherever in it: imports, declarations and parameters. */
export function boundNames(program: Program): Set<string> {
  const names = new Set<string>()
  const visit = (node: Node): void => {
    for (const key of BINDING[node.type] ?? []) for (const part of childrenAt(node, key)) addNames(part, names)
    for (const key of visitorKeys[node.type] ?? []) for (const part of childrenAt(node, key)) visit(part)
  }
  visit(program)
  return names
}

/** Where a node of this kind binds names. */
const BINDING: Partial<Record<Node['type'], readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  ClassExpression: ['id'],
  CatchClause: ['param'],
  ImportSpecifier: ['local'],
  ImportDefaultSpecifier: ['local'],
  ImportNamespaceSpecifier: ['local'],
}

// Of a pattern every name in it, default values too: one name too many only makes the check stricter.
function addNames(node: Node, names: Set<string>): void {
  if (node.type === 'Identifier') names.add(node.name)
  for (const key of visitorKeys[node.type] ?? []) for (const part of childrenAt(node, key)) addNames(part, names)
}

const childrenAt = (node: Node, key: string): Node[] => [Reflect.get(node, key)].flat().filter(isNode)

/** Whether a value is a node of the syntax tree. */
export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
