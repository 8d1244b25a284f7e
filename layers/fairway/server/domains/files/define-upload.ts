// What may be uploaded, where an author says so.
import { z } from 'zod'
import type { GuardContext, Proving } from '#fairway/server/domains/organizations'
import { isDeclared, mark, parseDeclaration } from '#fairway/server/kernel/declaration'

interface UploadOptions {
  /** One sentence that says what the files are. */
  description: string
  /** Media types that are accepted: `application/pdf`, `image/*`, or all of them by two asterisks. A file's type is found by its bytes. */
  accept: readonly string[]
  /** The most bytes that a file may have. */
  maxSize: number
  /** Must return (or resolve to) exactly `true`; everything else denies. Whoever works in an organization may upload when there is none. */
  guard?: ((context: GuardContext) => unknown) & Proving<object>
}

/** What may be uploaded, after its declaration was read. */
export interface Upload {
  description: string
  accept: readonly string[]
  maxSize: number
  guard?: (context: GuardContext) => unknown
}

export interface UploadEntry {
  name: string
  upload: Upload
}

const optionsSchema = z.strictObject({
  description: z.string().trim().min(1),
  accept: z
    .array(
      z.string().regex(/^(\*\/\*|[a-z]+\/(\*|[\w.+-]+))$/, 'must be a media type, such as application/pdf or image/*'),
    )
    .min(1),
  maxSize: z.int().min(1),
  guard: z.custom<Upload['guard']>(value => typeof value === 'function', 'must be a function').optional(),
})

/** Declares what may be uploaded: `server/uploads/<name>.ts` exports it by default. Throws at load with each option that is wrong. */
export const defineUpload = (options: UploadOptions): Upload =>
  mark('upload', parseDeclaration('defineUpload', optionsSchema, options))

export const isUpload = (value: unknown): value is Upload => isDeclared('upload', value)

/** What a page could run code from is an image or a text too, so a declaration has to name it. */
const ACTIVE = new Set(['image/svg+xml', 'text/html', 'application/xhtml+xml'])

/** Whether an upload takes files of this type. */
export function accepts({ accept }: Pick<Upload, 'accept'>, type: string): boolean {
  const [family] = type.split('/')
  return accept.some(each => each === type || each === '*/*' || (each === `${family}/*` && !ACTIVE.has(type)))
}
