import type { ZodError } from 'zod'

/** The kinds of refusals that RFC 7644 §3.12 names. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

const STATUS: Partial<Record<ScimType, number>> = { uniqueness: 409 }

/** A refusal of a SCIM request. The detail is for the directory's administrator. */
export class ScimError extends Error {
  override name = 'ScimError'
  readonly status: number

  constructor(
    detail: string,
    readonly scimType?: ScimType,
    status?: number,
  ) {
    super(detail)
    this.status = status ?? (scimType && STATUS[scimType]) ?? 400
  }

  /** The refusal of a document: its first fault, as `invalidValue`. */
  static of({ issues: [issue] }: ZodError): ScimError {
    const detail = `${issue?.path.join('.') || 'value'}: ${issue?.message ?? 'is not valid'}`
    return new ScimError(detail, 'invalidValue')
  }
}
