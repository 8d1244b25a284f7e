import { z } from 'zod'
import { colordx, extend } from '@colordx/core'
import a11y from '@colordx/core/plugins/a11y'
import mix from '@colordx/core/plugins/mix'
import palettes from 'tailwindcss/colors'

/** The product's picture: paths of public files, the second one for dark pages. */
export interface Logo {
  light: string
  dark: string
}

/** The product's name and looks. */
export interface Brand {
  name: string
  logo: Logo | null
  /** The picture beside a link to a public page: the path of a public file. */
  socialImage: string | null
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

/** The options of `defineFwConfig` for the product itself. */
export const brandOptions = {
  /** The same as `brand.name`. */
  name: nameSchema.optional(),
  /** The product's name and looks on pages, in mails, in browser tabs, for MCP hosts and in authenticator apps. */
  brand: z
    .strictObject({
      /** The name shown on pages and in mails. */
      name: nameSchema.optional(),
      /** A picture in public/, SVG or PNG, or one for light and one for dark pages. */
      logo: z
        .union([
          publicPicture.transform(path => ({ light: path, dark: path })),
          z.strictObject({ light: publicPicture, dark: publicPicture }),
        ])
        .optional(),
      /** The preview image for links to public pages: the path of a PNG or JPEG file in public/, ideally 1200 by 630 pixels. */
      socialImage: z
        .string()
        .regex(/^(\/(?!\.)[\w.-]+)+\.(png|jpe?g)$/, 'must be the path of a PNG or JPEG file in public/')
        .optional(),
      /** The colour of buttons, links and focus: `#1d4ed8`, or the name of a Tailwind colour. */
      accent: accentSchema.optional(),
    })
    .prefault({}),
}

type BrandOptions = z.output<z.ZodObject<typeof brandOptions>>

/** Returns the brand from `name` and `brand`, or a sentence that says why they contradict each other. */
export function brandOf({ name, brand }: BrandOptions): Brand | string {
  if (name !== undefined && brand.name !== undefined && name !== brand.name)
    return `name is “${name}” and brand.name is “${brand.name}”: give one of them only`
  return {
    name: brand.name ?? name ?? DEFAULT_NAME,
    logo: brand.logo ?? null,
    socialImage: brand.socialImage ?? null,
    accent: brand.accent ?? defaultAccent,
  }
}

/** The path of the image that the build writes for an application that has no logo and no social image. */
export const DEFAULT_SOCIAL_IMAGE = '/social-image.png'

/** The path of the platform's mark as PNG, which the build writes for mails. */
export const MAIL_MARK = '/mail-mark.png'

/**
 * Returns the picture for links to public pages, and whether it is wide. Takes the application's picture, else its logo as PNG,
 * else the platform's mark.
 */
export function socialImageOf({ socialImage, logo }: Pick<Brand, 'socialImage' | 'logo'>) {
  if (socialImage) return { path: socialImage, isWide: true }
  if (!logo) return { path: DEFAULT_SOCIAL_IMAGE, isWide: true }
  // Other sites do not show SVG.
  return logo.light.endsWith('.png') ? { path: logo.light, isWide: false } : undefined
}

extend([a11y, mix])

export const SHADES = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950] as const
/** One colour from light to dark: light pages use 800 for buttons, links and focus, dark ones use 400. */
export type Accent = Record<(typeof SHADES)[number], string>

/** WCAG 2.2, 1.4.3: text of normal size. */
const READABLE = 4.5
const WHITE = '#ffffff'
/** Text on the accent in dark pages, and the surfaces behind text in the accent colour (app/assets/main.css). */
const DARK_TEXT = '#0b1220'
const LIGHT_SURFACES = [WHITE, '#f8fafc', '#f1f5f9']
const DARK_SURFACES = ['#1e293b', '#0f172a', '#2a374b']
/** The lightness of the other shades in OKLCH, and the share of the colour's chroma that they keep. */
const STEPS = { 50: [0.98, 0.1], 100: [0.95, 0.25], 200: [0.91, 0.45], 500: [0.7, 1], 600: [0.62, 1], 700: [0.53, 1] }

/** The platform's default green. */
export const defaultAccent: Accent = {
  50: '#f0fdf4',
  100: '#dcfce7',
  200: '#bbf7d0',
  300: '#7ddba3',
  400: '#41c476',
  500: '#22a35a',
  600: '#16954c',
  700: '#16823f',
  800: '#137037',
  900: '#166534',
  950: '#052e16',
}

/**
 * Returns the shades of a colour (`#1d4ed8`, or the name of a Tailwind colour), or a sentence that says why it is invalid or
 * lacks contrast.
 */
export function accentOf(value: string): Accent | string {
  const base = colourOf(value)
  if (!base) return `“${value}” is no colour: write it like #1d4ed8, or name one of ${names.join(', ')}`
  const ratio = contrast(base, WHITE)
  if (ratio < READABLE) {
    const darker = darkened(base, colour => contrast(colour, WHITE) >= READABLE)
    return `${value} has a contrast of ${ratioText(ratio)} to white, and text on it needs ${READABLE}:1; ${darker} is the same colour and dark enough`
  }
  return shadesOf(base)
}

/** Returns the lightest shade that keeps white text readable; dark pages fill buttons with it. */
export const inkOf = (accent: Accent): string =>
  [accent[600], accent[700]].find(colour => contrast(colour, WHITE) >= READABLE) ?? accent[800]

/** Returns the contrast of two colours (WCAG), from 1 to 21. */
export const contrast = (one: string, other: string): number => colordx(one).contrast(other)

const isPalette = (value: unknown): value is Record<string, string> => typeof value === 'object' && value !== null
const palettesByName = new Map(Object.entries(palettes).filter(([, palette]) => isPalette(palette)))
const names = [...palettesByName.keys()]

function colourOf(value: string): string | undefined {
  if (/^#([\da-f]{3}|[\da-f]{6})$/i.test(value)) return colordx(value).toHex()
  const palette = palettesByName.get(value)
  return isPalette(palette) && palette[700] ? colordx(palette[700]).toHex() : undefined
}

function shadesOf(base: string): Accent {
  const light = darkened(base, isReadableInLight)
  const dark = lightened(base, isReadableInDark)
  const step = ([lightness = 0, strength = 1]: readonly number[]) => shade(base, () => lightness, strength)
  return {
    50: step(STEPS[50]),
    100: step(STEPS[100]),
    200: step(STEPS[200]),
    300: shade(dark, lightness => lightness + (1 - lightness) * 0.4),
    400: dark,
    500: step(STEPS[500]),
    600: step(STEPS[600]),
    700: step(STEPS[700]),
    800: light,
    900: shade(light, lightness => lightness * 0.86),
    950: shade(light, lightness => Math.min(0.26, lightness * 0.6), 0.7),
  }
}

/** Returns whether the colour is readable as text on every surface, even a tinted one, and under white text on hover. */
const isReadableInLight = (colour: string): boolean =>
  [...LIGHT_SURFACES, over(WHITE, colour, 0.15)].every(surface => contrast(colour, surface) >= READABLE) &&
  contrast(over(WHITE, colour, 0.9), WHITE) >= READABLE

const isReadableInDark = (colour: string): boolean =>
  [...DARK_SURFACES, over(DARK_SURFACES[0]!, colour, 0.15)].every(surface => contrast(colour, surface) >= READABLE) &&
  contrast(over(DARK_SURFACES[0]!, colour, 0.9), DARK_TEXT) >= READABLE

/** The visible colour of a translucent layer on a surface; screens mix in sRGB. */
const over = (surface: string, colour: string, part: number): string => colordx(surface).mix(colour, part).toHex()

function shade(colour: string, toLightness: (lightness: number) => number, strength = 1): string {
  const { l, c, h } = colordx(colour).toOklch()
  return colordx({ l: toLightness(l), c: c * strength, h, alpha: 1 }).toHex()
}

const darkened = (colour: string, isEnough: (colour: string) => boolean) => moved(colour, -0.01, isEnough)
const lightened = (colour: string, isEnough: (colour: string) => boolean) => moved(colour, 0.01, isEnough)

function moved(colour: string, step: number, isEnough: (colour: string) => boolean): string {
  let legible = colour
  for (let steps = 1; !isEnough(legible) && steps <= 100; steps += 1)
    legible = shade(colour, lightness => Math.max(0, Math.min(1, lightness + step * steps)))
  return legible
}

const ratioText = (ratio: number): string => `${(Math.floor(ratio * 100) / 100).toFixed(2)}:1`
