// Declarations of uploads, which authors write.
import { z } from 'zod'
import type { GuardContext, Proving } from '#fairway/server/domains/organizations'
import { isDeclared, mark, parseDeclaration } from '#fairway/server/kernel/declaration'

interface UploadOptions {
  /** One sentence that says what the files are. */
  description: string
  /**
   * The accepted media types: `application/pdf`, `image/*`, or all of them with two asterisks. The server detects a file's type
   * from its bytes.
   */
  accept: readonly string[]
  /** The maximum size of a file in bytes. */
  maxSize: number
  /** The maximum number of pixels of an image, width times height. 100 million by default. */
  maxPixels?: number
  /**
   * Must return (or resolve to) exactly `true`; everything else denies. Without a guard, everyone with an active organization may
   * upload.
   */
  guard?: ((context: GuardContext) => unknown) & Proving<object>
}

/** An upload declaration after validation. */
export interface Upload {
  description: string
  accept: readonly string[]
  maxSize: number
  maxPixels: number
  guard?: (context: GuardContext) => unknown
}

export interface UploadEntry {
  name: string
  upload: Upload
}

/** A camera of a phone takes 12 to 50 million. Decoded, each pixel needs four bytes. */
export const MOST_PIXELS = 100_000_000

const optionsSchema = z.strictObject({
  description: z.string().trim().min(1),
  accept: z
    .array(
      z.string().regex(/^(\*\/\*|[a-z]+\/(\*|[\w.+-]+))$/, 'must be a media type, such as application/pdf or image/*'),
    )
    .min(1),
  maxSize: z.int().min(1),
  maxPixels: z.int().min(1).default(MOST_PIXELS),
  guard: z.custom<Upload['guard']>(value => typeof value === 'function', 'must be a function').optional(),
})

/** Declares an upload; `server/uploads/<name>.ts` exports it as its default. Throws at load and lists each invalid option. */
export const defineUpload = (options: UploadOptions): Upload =>
  mark('upload', parseDeclaration('defineUpload', optionsSchema, options))

export const isUpload = (value: unknown): value is Upload => isDeclared('upload', value)

/** Types that can run code in a page. `image/*` and `text/*` do not include them; a declaration must name them. */
const ACTIVE = new Set(['image/svg+xml', 'text/html', 'application/xhtml+xml'])

/** Whether an upload accepts files of this type. */
export function accepts({ accept }: Pick<Upload, 'accept'>, type: string): boolean {
  const [family] = type.split('/')
  return accept.some(each => each === type || each === '*/*' || (each === `${family}/*` && !ACTIVE.has(type)))
}
