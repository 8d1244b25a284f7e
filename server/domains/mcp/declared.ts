/** A declaration and the name of the file that holds it. */
export interface Declared<T> {
  name: string
  declaration: T
}

/** What the define functions mark their result with; the same in every copy of this code, because the build loads its own. */
const MARK = Symbol.for('fairway.mcp')
export type DeclarationKind = 'resource' | 'prompt' | 'app'

/** Freezes a declaration and marks what it is. */
export const mark = <T extends object>(kind: DeclarationKind, declaration: T): T =>
  Object.freeze({ ...declaration, [MARK]: kind })

/** Whether a value was made by the define function of this kind. */
export const isDeclared = (kind: DeclarationKind, value: unknown): boolean =>
  typeof value === 'object' && value !== null && MARK in value && value[MARK] === kind
