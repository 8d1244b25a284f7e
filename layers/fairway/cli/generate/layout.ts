// How generated code is laid out: as oxfmt and Prettier leave it, with the settings of this repository.
const WIDTH = 120

/** Whether code fits into a line. */
export const fits = (line: string): boolean => line.length <= WIDTH && !line.includes('\n')

/** Code as it stands in a single-quoted text. */
export const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/** `open`, the parts and `close` on one line where that fits behind what stands before it, else each part on a line of its own. */
export function fitted(
  parts: readonly string[],
  { before = '', open, close, after = '' }: { before?: string; open: string; close: string; after?: string },
): string {
  const space = open.endsWith('{') ? ' ' : ''
  const line = `${before}${open}${space}${parts.join(', ')}${space}${close}${after}`
  if (fits(line)) return line
  const indent = /^\s*/.exec(before)?.[0] ?? ''
  return `${before}${open}\n${parts.map(part => `${indent}  ${part},\n`).join('')}${indent}${close}${after}`
}

/** A named import, sorted as it is read: by letters, whatever their size. */
export function importOf(names: readonly string[], from: string): string {
  const sorted = [...new Set(names)].toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))
  return fitted(sorted, {
    before: 'import ',
    open: '{',
    close: '}',
    after: ` from ${quoted(from)}`,
  })
}

/** Lines below one another; what is not there is left out. */
export const lines = (...all: readonly (string | false | undefined)[]): string =>
  all.filter(line => line !== false && line !== undefined).join('\n')

/** An element of a template: its attributes on one line where they fit, else one below the other; `content` is laid out already. */
export function element(indent: string, tag: string, attributes: readonly string[], content?: string): string {
  const end = content === undefined ? ' />' : '>'
  const line = `${indent}<${[tag, ...attributes].join(' ')}${end}`
  const head = fits(line)
    ? line
    : `${indent}<${tag}\n${attributes.map(each => `${indent}  ${each}\n`).join('')}${indent}${end.trim()}`
  return content === undefined ? head : `${head}\n${content}\n${indent}</${tag}>`
}
