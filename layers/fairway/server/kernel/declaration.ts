import type { z } from 'zod'

/** The kinds of declarations in an author's files. */
type DeclarationKind = 'action' | 'collection' | 'provider' | 'resource' | 'prompt' | 'app' | 'job' | 'mail' | 'upload'

/**
 * The mark that the define functions set on their result. It is the same in every copy of this code, because the build loads a
 * separate copy.
 */
const MARK = Symbol.for('fairway.declaration')

/** Freezes a declaration and marks its kind. */
export const mark = <T extends object>(kind: DeclarationKind, declaration: T): T =>
  Object.freeze({ ...declaration, [MARK]: kind })

/** Returns whether the define function of this kind made a value. */
export const isDeclared = (kind: DeclarationKind, value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, MARK) && Reflect.get(value, MARK) === kind

const MAKERS = {
  action: 'defineAction',
  collection: 'defineCollection',
  provider: 'defineProvider',
  resource: 'defineMcpResource',
  prompt: 'defineMcpPrompt',
  app: 'defineMcpApp',
  job: 'defineJob',
  mail: 'defineMail',
  upload: 'defineUpload',
} as const satisfies Record<DeclarationKind, string>

/** Returns the name of the function that made a declaration; undefined for other values. */
export const makerOf = (value: unknown): string | undefined =>
  Object.entries(MAKERS).find(
    ([kind]) => typeof value === 'object' && value !== null && Reflect.get(value, MARK) === kind,
  )?.[1]

/** Parses the options of a declaration with its schema; throws at load with each option and the values that it accepts. */
export function parseDeclaration<T extends z.ZodType>(name: string, schema: T, options: unknown): z.output<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the declaration'}: ${issue.message}`)
  throw new Error(`${name}: ${faults.join('; ')}`)
}

/** Parses a text as JSON; undefined when it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Decodes percent-encoding; undefined for a broken escape. */
export function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
