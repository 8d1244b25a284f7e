// The one place for the look of pages: the application (modules/brand) and the server's own pages read the same tokens.
import { type Accent, inkOf } from './brand'

/** The path of the typeface in the build; the version in the name lets browsers cache it. */
export const TYPEFACE_PATH = '/_fonts/geist-5.3.0.woff2'
export const TYPEFACE_FILE = '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'

// `optional` prevents the page from moving when its typeface arrives.
const TYPEFACE = `@font-face{font-family:Geist;font-weight:100 900;font-display:optional;src:url(${TYPEFACE_PATH}) format("woff2");unicode-range:U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD}`

/** The shapes that both themes share. Fields and buttons have one height: 40 pixels on touch screens. */
const SHAPES = {
  'fw-font': `Geist,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif`,
  'fw-field-height': '36px',
  'fw-radius': '8px',
  'fw-on-fill': '#fff',
}

/** Every colour of the interface, by Nuxt UI's names. `fw-fill` is behind the white text of buttons. */
const light = (accent: Accent) => ({
  'ui-primary': accent[800],
  'fw-fill': accent[800],
  'fw-fill-hover': accent[900],
  'ui-error': '#b91c1c',
  'ui-warning': '#92400e',
  'fw-error-tint': '#fef2f2',
  'ui-text-dimmed': '#64748b',
  'ui-text-muted': '#475569',
  'ui-text-toned': '#334155',
  'ui-text': '#1e293b',
  'ui-text-highlighted': '#0f172a',
  'ui-text-inverted': '#fff',
  'ui-bg': '#fff',
  'ui-bg-muted': '#f8fafc',
  'ui-bg-elevated': '#f1f5f9',
  'ui-bg-accented': '#e2e8f0',
  'ui-bg-inverted': '#0f172a',
  'ui-border': '#e2e8f0',
  'ui-border-muted': '#e2e8f0',
  'ui-border-accented': '#8291a7',
  'ui-border-inverted': '#0f172a',
})

const dark = (accent: Accent) => ({
  'ui-primary': accent[400],
  'fw-fill': inkOf(accent),
  'fw-fill-hover': accent[800],
  'ui-error': '#fca5a5',
  'ui-warning': '#fcd34d',
  'fw-error-tint': '#450a0a',
  'ui-text-dimmed': '#94a3b8',
  'ui-text-muted': '#a3b1c6',
  'ui-text-toned': '#cbd5e1',
  'ui-text': '#e2e8f0',
  'ui-text-highlighted': '#f8fafc',
  'ui-text-inverted': '#0b1220',
  'ui-bg': '#1e293b',
  'ui-bg-muted': '#0f172a',
  'ui-bg-elevated': '#2a374b',
  'ui-bg-accented': '#3b4a61',
  'ui-bg-inverted': '#f8fafc',
  'ui-border': '#334155',
  'ui-border-muted': '#334155',
  'ui-border-accented': '#74839a',
  'ui-border-inverted': '#f8fafc',
})

const rule = (selector: string, tokens: Record<string, string>): string =>
  `${selector}{${Object.entries(tokens)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')}}`

/** Returns the tokens for pages whose theme is a class of `<html>`, with the shades of the accent. */
export const appTheme = (accent: Accent): string => {
  const shades = Object.fromEntries(Object.entries(accent).map(([shade, colour]) => [`color-fairway-${shade}`, colour]))
  return [
    TYPEFACE,
    rule(':root', { ...shades, ...SHAPES }),
    rule(':root,.light', light(accent)),
    rule('.dark', dark(accent)),
  ].join('\n')
}

/** The tokens for pages that follow the system's theme. */
export const systemTheme = (accent: Accent): string =>
  [
    TYPEFACE,
    rule(':root', { ...SHAPES, ...light(accent) }),
    `@media (prefers-color-scheme:dark){${rule(':root', dark(accent))}}`,
  ].join('')
