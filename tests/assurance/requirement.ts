/** What stands behind a requirement: tests by path and name, a place in the documents, or a reason in words. */
export type Answer =
  | { kind: 'tested'; tests: readonly string[]; gap?: string }
  | { kind: 'documented'; documents: readonly string[]; gap?: string }
  | { kind: 'by design' | 'by hand' | 'of the operator' | 'does not apply' | 'not met'; reason: string }

/** One requirement: its id in the standard, what it asks for in our words, and our answer. */
export interface Requirement {
  id: string
  asks: string
  answer: Answer
}

type Row = (id: string, asks: string, reason: string) => Requirement

const reasoned =
  (kind: Exclude<Answer['kind'], 'tested' | 'documented'>): Row =>
  (id, asks, reason) => ({ id, asks, answer: { kind, reason } })

/** Tests hold it, each named `folder/file › describe › name` (the describe may be left out); `gap` is what they do not hold. */
export const tested = (id: string, asks: string, tests: readonly string[], gap?: string): Requirement => ({
  id,
  asks,
  answer: { kind: 'tested', tests, gap },
})

/** It asks for a document, which is there at a path and heading; `gap` is what that does not say. */
export const documented = (id: string, asks: string, documents: readonly string[], gap?: string): Requirement => ({
  id,
  asks,
  answer: { kind: 'documented', documents, gap },
})

/** Met by how it is built, without a test of its own. */
export const designed = reasoned('by design')

/** Looked at by a person; no test holds it. */
export const byHand = reasoned('by hand')

/** The part of whoever runs an installation. */
export const operators = reasoned('of the operator')

/** About something that is not there. */
export const absent = reasoned('does not apply')

/** Asked for and not there. */
export const missing = reasoned('not met')

const testFile = (name: string): string => `tests/${name}.${name.startsWith('e2e/') ? 'spec' : 'test'}.ts`

/** The file and the name of a test as the table writes them: `folder/file › describe › name`. */
export function readReference(reference: string): { file: string; name: string } {
  const [file = '', ...name] = reference.split(' › ')
  return { file: testFile(file), name: name.join(' › ') }
}
