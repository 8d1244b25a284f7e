// The names of files, in uploads and in responses.
import type { IncomingHttpHeaders } from 'node:http'
import { decodedText } from '#fairway/server/kernel/declaration'
import { checkInput } from '#fairway/server/kernel/http/read-input'
import { toPlainLine } from '#fairway/shared/schemas/name'

const MOST_CHARACTERS = 200

/**
 * The file name that an upload sends: `x-file-name` (percent-encoded), else `filename*` or `filename` of `content-disposition`.
 */
export function fileNameOf(headers: IncomingHttpHeaders): string {
  const nameHeader = headers['x-file-name']
  if (typeof nameHeader === 'string') return plainName(decodedText(nameHeader) ?? nameHeader)
  const disposition = headers['content-disposition'] ?? ''
  const [, extended] = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition) ?? []
  if (extended !== undefined) return plainName(decodedText(extended) ?? extended)
  const [, quoted, token] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? []
  // Node decodes headers as Latin-1; browsers send names in UTF-8.
  return plainName(Buffer.from(quoted?.replaceAll(/\\(.)/g, '$1') ?? token ?? '', 'latin1').toString('utf8'))
}

/**
 * The final part of a path without characters that are invisible or change the direction of text (they make `gpj.exe` look like
 * `exe.jpg`); `file` when nothing remains. Throws `invalid-input` for a name with NUL, where other programs would end it.
 */
function plainName(text: string): string {
  const { name: checked } = checkInput({ name: text })
  const name = toPlainLine(checked.split(/[/\\]/).at(-1) ?? '')
  if (name === '' || name === '.' || name === '..') return 'file'
  if (name.length <= MOST_CHARACTERS) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ''
  return [...name].slice(0, MOST_CHARACTERS - ending.length).join('') + ending
}

/** `content-disposition` with a file name (RFC 6266 §4.3, RFC 8187): once in ASCII for old clients, and once in full. */
export function dispositionOf(name: string, kind: 'inline' | 'attachment'): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const extended = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${extended}`
}
