// Detects the type of a file from its first bytes. The file's name decides only between kinds of plain text, which bytes cannot
// tell apart.

/** How many of the first bytes are read. */
export const HEAD_IN_BYTES = 64 * 1024

const UNKNOWN = 'application/octet-stream'

/** Types of plain text by file extension; browsers do not render any of them. */
const TEXTS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ics: 'text/calendar',
  json: 'application/json',
  md: 'text/markdown',
  tsv: 'text/tab-separated-values',
  vcf: 'text/vcard',
}

/** What may precede the first element of a document. */
const PROLOG = /^(?:\s|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)*/
const HTML = /^<(?:!doctype\s+html|html|head|body|script|iframe|meta|title|table|div|a|p|h1|br|font|style)[\s/>]/i
const SVG = /^<(?:!doctype\s+svg|svg)[\s/>]/i
const CONTROL = /[^\P{Cc}\t\n\v\f\r\u0085]/u

/** The media type of a file; `application/octet-stream` for an unknown one. */
export async function findType(head: Uint8Array, name: string): Promise<string> {
  const text = textOf(head)
  const document = text?.replace(PROLOG, '') ?? ''
  if (SVG.test(document)) return 'image/svg+xml'
  if (HTML.test(document)) return 'text/html'
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  if (found) return found.mime
  if (text === undefined) return UNKNOWN
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return (Object.hasOwn(TEXTS, ending) && TEXTS[ending]) || 'text/plain'
}

/** The bytes as text; undefined when they are not valid text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    // The head may end in the middle of a character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return CONTROL.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** The size of an image in pixels; undefined when the first bytes do not contain it. */
export function findPixels(bytes: Uint8Array, type: string): { width: number; height: number } | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (type === 'image/png' && head.length >= 24) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
  if (type === 'image/gif' && head.length >= 10) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
  return type === 'image/jpeg' ? jpegPixels(head) : undefined
}

/** Reads the segments of a JPEG up to the one that begins a frame (ITU T.81 §B.2.2). */
function jpegPixels(head: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
  }
  return undefined
}
