import { z } from 'zod'
import { type Accent, accentOf, defaultAccent } from './accent'

/** The product's picture: paths of public files, the second one for dark pages. */
export interface Logo {
  light: string
  dark: string
}

/** What the product is called and looks like. */
export interface Brand {
  name: string
  logo: Logo | null
  accent: Accent
}

const DEFAULT_NAME = 'Fairway'

const nameSchema = z.string().trim().min(1).max(60)

const publicPicture = z
  .string()
  .regex(
    /^(\/(?!\.)[\w.-]+)+\.(svg|png)$/,
    'must be the path of an SVG or PNG file in public/, for example /logo.svg for public/logo.svg',
  )

const accentSchema = z.string().transform((value, context): Accent => {
  const accent = accentOf(value)
  if (typeof accent !== 'string') return accent
  context.addIssue({ code: 'custom', message: accent })
  return z.NEVER
})

/** The options of `defineFwConfig` about the product itself. */
export const brandOptions = {
  /** The same as `brand.name`. */
  name: nameSchema.optional(),
  /** What the product is called and looks like, everywhere: pages, mails, the browser's tab, hosts and authenticators. */
  brand: z
    .strictObject({
      /** What people read on pages and in mails. */
      name: nameSchema.optional(),
      /** A picture in public/, SVG or PNG, or one for light and one for dark pages. */
      logo: z
        .union([
          publicPicture.transform(path => ({ light: path, dark: path })),
          z.strictObject({ light: publicPicture, dark: publicPicture }),
        ])
        .optional(),
      /** The colour of buttons, links and focus: `#1d4ed8`, or the name of a Tailwind colour. */
      accent: accentSchema.optional(),
    })
    .prefault({}),
}

type BrandOptions = z.output<z.ZodObject<typeof brandOptions>>

/** The brand from `name` and `brand` together; a string says why they do not go together. */
export function brandOf({ name, brand }: BrandOptions): Brand | string {
  if (name !== undefined && brand.name !== undefined && name !== brand.name)
    return `name is “${name}” and brand.name is “${brand.name}”: give one of them only`
  return {
    name: brand.name ?? name ?? DEFAULT_NAME,
    logo: brand.logo ?? null,
    accent: brand.accent ?? defaultAccent,
  }
}
