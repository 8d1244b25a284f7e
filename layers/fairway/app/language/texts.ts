import { ref, shallowReactive } from 'vue'
import { pluralForm } from '#fairway/shared/plural-form'
import { isRecord } from '#fairway/shared/record'

type Values = Readonly<Record<string, unknown>> | readonly unknown[]

/**
 * A text with placeholders, plurals or references as the build compiles it (modules/texts): the compact syntax tree of vue-i18n's
 * parser.
 */
type Parsed =
  | { t: 0; b: Parsed }
  | { t: 1; c: Parsed[] }
  | { t: 2; s?: string; i?: Parsed[] }
  | { t: 3 | 7 | 8 | 9; v?: string; s?: string }
  | { t: 4; k: string }
  | { t: 5; i: number }
  | { t: 6; k: Parsed; m?: Parsed }

/** The texts of a page in vue-i18n's syntax. The build has parsed them, so this code only fills in values. */
export function createTexts(english: object) {
  const catalogs = shallowReactive<Record<string, object>>({ en: english })
  const locale = ref('en')

  const find = (key: string, code: string): unknown =>
    key.split('.').reduce<unknown>((at, name) => ownPart(at, name), catalogs[code])
  const isText = (value: unknown): value is string | Parsed =>
    typeof value === 'string' || (isRecord(value) && value.t === 0 && 'b' in value)

  /** The text of a key with its values, in English if the language has none. `count` selects a plural form. */
  function t(key: string, values: Values | number = {}, count?: number): string {
    if (typeof values === 'number') return t(key, {}, values)
    const message = [locale.value, 'en'].map(code => find(key, code)).find(isText) ?? key
    return typeof message === 'string' ? message : say(message, values, count, t, locale.value)
  }

  return {
    t,
    te: (key: string, code = locale.value): boolean => isText(find(key, code)),
    n: (value: number, options?: Intl.NumberFormatOptions) =>
      new Intl.NumberFormat(locale.value, options).format(value),
    d: (value: Date | number | string, options?: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale.value, options).format(new Date(value)),
    locale,
    /** Adds groups of texts to those of a language. */
    add(code: string, texts: object): void {
      const known = catalogs[code] ?? {}
      if (Object.keys(texts).some(group => !(group in known))) catalogs[code] = { ...known, ...texts }
    },
  }
}

export type Texts = ReturnType<typeof createTexts>

function say(node: Parsed, values: Values, count: number | undefined, linked: Texts['t'], language: string): string {
  const part = (inner: Parsed) => say(inner, values, count, linked, language)
  if (node.t === 0) return part(node.b)
  if (node.t === 1)
    return part(formOf(node.c, [valueOf('count', values, count), valueOf('n', values, count), count], language))
  if (node.t === 2) return node.s ?? (node.i ?? []).map(part).join('')
  if (node.t === 4) return shown(valueOf(node.k, values, count))
  if (node.t === 5) return shown(ownPart(values, String(node.i)))
  if (node.t === 6) return modified(linked(part(node.k), values, count), node.m && part(node.m))
  return node.v ?? node.s ?? ''
}

function formOf(forms: readonly Parsed[], counts: readonly unknown[], language: string): Parsed {
  const count = counts.find(each => typeof each === 'number') ?? 1
  return forms[pluralForm(forms.length, count, language)] ?? { t: 3 }
}

function valueOf(name: string, values: Values, count: number | undefined): unknown {
  const value = ownPart(values, name)
  return (name === 'count' || name === 'n') && count !== undefined ? value || count : value
}

const ownPart = (whole: unknown, name: string): unknown =>
  typeof whole === 'object' && whole !== null && Object.hasOwn(whole, name) ? Reflect.get(whole, name) : undefined

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : String(value ?? '')

function modified(text: string, modifier = ''): string {
  if (modifier === 'upper') return text.toUpperCase()
  if (modifier === 'lower') return text.toLowerCase()
  return modifier === 'capitalize' ? text.charAt(0).toLocaleUpperCase() + text.slice(1) : text
}
