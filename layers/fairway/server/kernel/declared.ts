/** What an author's file may declare. */
export type DeclarationKind = 'action' | 'collection' | 'provider' | 'resource' | 'prompt' | 'app'

/** What the define functions mark their result with; the same in every copy of this code, because the build loads its own. */
const MARK = Symbol.for('fairway.declaration')

/** Freezes a declaration and marks what it is. */
export const mark = <T extends object>(kind: DeclarationKind, declaration: T): T =>
  Object.freeze({ ...declaration, [MARK]: kind })

/** Whether a value was made by the define function of this kind. */
export const isDeclared = (kind: DeclarationKind, value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, MARK) && Reflect.get(value, MARK) === kind
