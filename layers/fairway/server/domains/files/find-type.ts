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
  const type = await fileTypeFromBuffer(head)
  if (type) return type.mime
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

interface Pixels {
  width: number
  height: number
}

/** The size of an image in pixels; undefined when the first bytes do not contain it. */
export function findPixels(bytes: Uint8Array, type: string): Pixels | undefined {
  try {
    return PIXELS.get(type)?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Whether an image of this type says its size in its first bytes; a JPEG may say it later. */
export const saysPixelsFirst = (type: string): boolean => PIXELS.has(type) && type !== 'image/jpeg'

const PIXELS = new Map<string, (head: Buffer) => Pixels | undefined>([
  ['image/png', pngPixels],
  ['image/apng', pngPixels],
  ['image/jpeg', jpegPixels],
  ['image/gif', gifPixels],
  ['image/webp', webpPixels],
  ['image/bmp', head => ({ width: head.readInt32LE(18), height: Math.abs(head.readInt32LE(22)) })],
  ...['avif', 'heic', 'heif', 'heic-sequence', 'heif-sequence'].map(kind => [`image/${kind}`, boxPixels] as const),
])

/** The larger one, by the number of pixels. */
const larger = (one: Pixels | undefined, other: Pixels): Pixels =>
  one && one.width * one.height > other.width * other.height ? one : other

function pngPixels(head: Buffer): Pixels {
  const at = head.indexOf('IHDR') + 4
  return { width: head.readUInt32BE(at < 4 ? head.length : at), height: head.readUInt32BE(at + 4) }
}

/** The screen, or the first frame, which browsers show whole when it is larger (GIF89a §18, §20). */
function gifPixels(head: Buffer): Pixels | undefined {
  const sizeAt = (at: number) => ({ width: head.readUInt16LE(at), height: head.readUInt16LE(at + 2) })
  const flags = head[10] ?? 0
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  while (head[at] === 0x21) {
    at += 2
    for (let length = head[at] ?? 0; length > 0; length = head[at] ?? 0) at += length + 1
    at += 1
  }
  if (at >= head.length && head.length >= HEAD_IN_BYTES) return undefined
  return larger(head[at] === 0x2c ? sizeAt(at + 5) : undefined, sizeAt(6))
}

/** The canvas of an extended WebP, or the size of its one frame (RFC 9649 §2.5 to §2.7). */
function webpPixels(head: Buffer): Pixels | undefined {
  const kind = head.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const bits = head.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** The largest of the images in a file of boxes (ISO/IEC 23008-12 §6.5.3). */
function boxPixels(head: Buffer): Pixels | undefined {
  let pixels: Pixels | undefined
  for (let at = head.indexOf('ispe'); at !== -1; at = head.indexOf('ispe', at + 4))
    pixels = larger(pixels, { width: head.readUInt32BE(at + 8), height: head.readUInt32BE(at + 12) })
  return pixels
}

/** Reads the segments of a JPEG up to the one that begins a frame (ITU T.81 §B.2.2). */
function jpegPixels(head: Buffer): Pixels | undefined {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head[at + 1] ?? 0
    if (isJpegFrame(marker)) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
  }
  return undefined
}

/** Whether a marker of a JPEG begins a frame, whose size follows. */
export const isJpegFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
