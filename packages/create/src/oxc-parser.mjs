// What the checks of routes use of oxc-parser, from a parser in JavaScript: oxc-parser is native, with a package for each system.
import { parse } from '@babel/parser'

export { visitorKeys } from 'virtual:visitor-keys'

/** The syntax tree of a file, in the form of oxc-parser. */
export function parseSync(path, source) {
  const plugins = ['estree', 'typescript', 'decorators', ...(path.endsWith('x') ? ['jsx'] : [])]
  try {
    return { program: parse(source, { sourceType: 'module', plugins }).program, errors: [] }
  } catch (error) {
    return { program: { type: 'Program', body: [], start: 0, end: 0 }, errors: [error] }
  }
}
