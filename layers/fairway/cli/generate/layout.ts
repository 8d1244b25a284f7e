// The layout of generated code: that of oxfmt and Prettier with the settings of this repository.
const WIDTH = 120

/** Whether code fits into a line. */
export const fits = (line: string): boolean => line.length <= WIDTH && !line.includes('\n')

/** Returns the text as a single-quoted literal. */
export const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/** Puts `open`, the parts and `close` on one line when it fits after `before`, or else each part on a separate line. */
export function fitted(
  parts: readonly string[],
  { before = '', open, close, after = '' }: { before?: string; open: string; close: string; after?: string },
): string {
  const space = open.endsWith('{') && parts.length > 0 ? ' ' : ''
  const line = `${before}${open}${space}${parts.join(', ')}${space}${close}${after}`
  if (fits(line)) return line
  const indent = /^\s*/.exec(before)?.[0] ?? ''
  return `${before}${open}\n${parts.map(part => `${indent}  ${part},\n`).join('')}${indent}${close}${after}`
}

/** Returns a named import, sorted alphabetically without regard to case. */
export function importOf(names: readonly string[], from: string): string {
  const sorted = [...new Set(names)].toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))
  return fitted(sorted, {
    before: 'import ',
    open: '{',
    close: '}',
    after: ` from ${quoted(from)}`,
  })
}

/** Joins lines; leaves out missing ones. */
export const lines = (...all: readonly (string | false | undefined)[]): string =>
  all.filter(line => line !== false && line !== undefined).join('\n')

/**
 * Returns an element of a template: its attributes on one line when they fit, or else one per line; `content` must have its
 * layout already.
 */
export function element(indent: string, tag: string, attributes: readonly string[], content?: string): string {
  const end = content === undefined ? ' />' : '>'
  const line = `${indent}<${[tag, ...attributes].join(' ')}${end}`
  const head = fits(line)
    ? line
    : `${indent}<${tag}\n${attributes.map(each => `${indent}  ${each}\n`).join('')}${indent}${end.trim()}`
  return content === undefined ? head : `${head}\n${content}\n${indent}</${tag}>`
}
