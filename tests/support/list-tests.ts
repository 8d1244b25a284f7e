import ts from 'typescript'

/** True when a test's full name is this name or ends with it after a describe. */
export const isNamed = (full: string, name: string): boolean => full === name || full.endsWith(` › ${name}`)

const RUN_NEVER = new Set(['skip', 'todo', 'fixme', 'fails'])

/** The literal names of a source text's tests, each after its describes. Omits tests that are skipped or expected to fail. */
export function listTests(source: string): string[] {
  const file = ts.createSourceFile('tests.ts', source, ts.ScriptTarget.Latest)
  const names: string[] = []
  const visit = (node: ts.Node, outer: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? readCall(node, file) : undefined
    if (call && [...call.words].some(word => RUN_NEVER.has(word))) return
    const path = call?.name === undefined ? outer : [...outer, call.name]
    if (call?.name !== undefined && !call.words.includes('describe')) names.push(path.join(' › '))
    ts.forEachChild(node, child => visit(child, path))
  }
  visit(file, [])
  return names
}

/** The words before the parentheses (`it`, `each`) and the title of a call that declares a test or a group. */
function readCall(
  node: ts.CallExpression,
  file: ts.SourceFile,
): { words: readonly string[]; name: string | undefined } | undefined {
  const words: string[] = []
  let callee: ts.Expression = node.expression
  while (!ts.isIdentifier(callee)) {
    if (ts.isPropertyAccessExpression(callee)) {
      words.push(callee.name.text)
      callee = callee.expression
    } else if (ts.isCallExpression(callee)) callee = callee.expression
    else if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag
    else return undefined
  }
  words.push(callee.text)
  // The steps of a test are not tests.
  if (!['it', 'test', 'describe'].includes(callee.text) || words.includes('step')) return undefined
  const [title, body] = node.arguments
  if (!title || !body) return undefined
  if (ts.isStringLiteralLike(title)) return { words, name: title.text }
  return ts.isTemplateExpression(title) ? { words, name: title.getText(file).slice(1, -1) } : undefined
}
