import { baseCompile } from '@intlify/message-compiler'
import type { Catalog } from '../../server/kernel/locale-files'

const SYNTAX = /[{}|@]/

/**
 * A catalog with parsed texts, for those with placeholders, plurals or references. Throws with the key of a text that does not
 * parse.
 */
export const compileTexts = (catalog: Catalog, prefix = ''): Catalog =>
  Object.fromEntries(
    Object.entries(catalog).map(([name, value]) => [name, compileValue(value, prefix + name)] as const),
  )

function compileValue(value: unknown, key: string): unknown {
  if (typeof value === 'string') return SYNTAX.test(value) ? compileText(value, key) : value
  if (Array.isArray(value)) return value.map((each, index) => compileValue(each, `${key}.${index}`))
  return typeof value === 'object' && value !== null ? compileTexts(value as Catalog, `${key}.`) : value
}

const compileText = (text: string, key: string) =>
  baseCompile(text, {
    jit: true,
    optimize: true,
    minify: true,
    location: false,
    onError: ({ message }) => {
      throw new Error(`The text ${key} (${JSON.stringify(text)}) cannot be read: ${message}`)
    },
  }).ast
