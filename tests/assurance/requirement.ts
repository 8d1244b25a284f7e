/** The evidence for a requirement: tests by path and name, a place in the documents, or a reason in words. */
export type Answer =
  | { kind: 'tested'; tests: readonly string[]; gap?: string }
  | { kind: 'documented'; documents: readonly string[]; gap?: string }
  | { kind: 'by design' | 'by hand' | 'of the operator' | 'does not apply' | 'not met'; reason: string }

/** One requirement: its id in the standard, its content in our words, and our answer. */
export interface Requirement {
  id: string
  asks: string
  answer: Answer
}

type Row = (id: string, asks: string, reason: string) => Requirement

const reasoned =
  (kind: Exclude<Answer['kind'], 'tested' | 'documented'>): Row =>
  (id, asks, reason) => ({ id, asks, answer: { kind, reason } })

/**
 * Verified by tests, each as `folder/file › describe › name` (the describe is optional), and those of the desktop package as
 * `desktop/folder/file …`. `gap` is the part without a test.
 */
export const tested = (id: string, asks: string, tests: readonly string[], gap?: string): Requirement => ({
  id,
  asks,
  answer: { kind: 'tested', tests, gap },
})

/** Met by documents, each with a path and heading. `gap` is the part that is not documented. */
export const documented = (id: string, asks: string, documents: readonly string[], gap?: string): Requirement => ({
  id,
  asks,
  answer: { kind: 'documented', documents, gap },
})

/** Met by design, without a dedicated test. */
export const designed = reasoned('by design')

/** Checked by a person, without a test. */
export const byHand = reasoned('by hand')

/** The responsibility of the operator of an installation. */
export const operators = reasoned('of the operator')

/** About a feature that does not exist here. */
export const absent = reasoned('does not apply')

/** Required but not implemented. */
export const missing = reasoned('not met')

const testFile = (name: string): string =>
  `${name.replace(/^(desktop\/)?/, '$1tests/').replace(/^desktop/, 'packages/desktop')}.${/\be2e\//.test(name) ? 'spec' : 'test'}.ts`

/** The file and the name of a test in the table's notation: `folder/file › describe › name`. */
export function readReference(reference: string): { file: string; name: string } {
  const [file = '', ...name] = reference.split(' › ')
  return { file: testFile(file), name: name.join(' › ') }
}
