import * as z from 'zod/mini'

const problemSchema = z.object({
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  title: z.optional(z.string()),
})

/** Why a collection could not be read to its end. */
export class CollectionError extends Error {
  /** The server's error code, or `link-loop`, `foreign-link`, `unreadable-answer`. */
  readonly code: string
  /** The HTTP status, or 0 when the answer itself was good. */
  readonly status: number

  constructor(code: string, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.name = 'CollectionError'
    this.code = code
    this.status = options.status ?? 0
  }

  /** What a refusing answer says (problem+json), as far as it can be read. */
  static async of(response: Response): Promise<CollectionError> {
    const body: unknown = await response.json().catch(() => undefined)
    const { data: problem } = problemSchema.safeParse(body)
    const message = problem?.detail ?? problem?.title ?? `The server answered with ${response.status}.`
    return new CollectionError(problem?.code ?? 'unreadable-answer', message, { status: response.status })
  }
}
