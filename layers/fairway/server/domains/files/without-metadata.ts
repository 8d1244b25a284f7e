// Removes the metadata of pictures while they are stored: in Exif, XMP or IPTC, photos carry the place where they were taken.
// Pixels, colors, animation and orientation stay.
import { crc32 } from 'node:zlib'
import { isJpegFrame } from './find-type'

type Chunks = AsyncGenerator<Uint8Array>
type Reader = ReturnType<typeof createReader>

/** Gets the size of each frame of a JPEG, in pixels; throwing refuses the picture. */
type OnFrame = (size: { width: number; height: number }) => void

const FORMATS = new Map<string, (reader: Reader, onFrame: OnFrame) => Chunks>([
  ['image/jpeg', jpeg],
  ['image/png', png],
  ['image/apng', png],
  ['image/webp', webp],
])

/** Yields the bytes of a file; a JPEG, PNG or WebP loses its metadata and what follows its end. */
export async function* withoutMetadata(
  type: string,
  bytes: AsyncIterable<Uint8Array>,
  onFrame: OnFrame = () => {},
): Chunks {
  const format = FORMATS.get(type)
  if (!format) return yield* bytes
  const source = bytes[Symbol.asyncIterator]()
  try {
    yield* format(createReader(source), onFrame)
    // The rest must arrive too: a body that ends early or is too large is refused.
    while (!(await source.next()).done);
  } finally {
    await source.return?.()
  }
}

/** Reads a stream in pieces of chosen lengths. The last piece may be shorter. */
function createReader(source: AsyncIterator<Uint8Array>) {
  let rest: Buffer = Buffer.alloc(0)
  async function fill(): Promise<boolean> {
    const { done, value } = await source.next()
    if (!done) rest = Buffer.from(value.buffer, value.byteOffset, value.length)
    return !done
  }
  function cut(length: number): Buffer {
    const part = rest.subarray(0, length)
    rest = rest.subarray(part.length)
    return part
  }
  /** Yields this many bytes as they arrive. */
  async function* pass(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0 && (rest.length > 0 || (await fill()));) {
      const part = cut(left)
      left -= part.length
      yield part
    }
  }
  /** Returns this many bytes at once. */
  async function take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of pass(length)) parts.push(part)
    return Buffer.concat(parts)
  }
  /** Yields the bytes before the next marker of a JPEG (ITU T.81 §B.1.1.2). */
  async function* passToMarker(): AsyncGenerator<Buffer> {
    while (rest.length > 0 || (await fill())) {
      const at = findMarker(rest)
      if (at > 0) yield cut(at)
      if (rest.length > 1) return
      const half = rest
      if (half.length === 1 && !(await fill())) return
      if (half.length === 1) rest = Buffer.concat([half, rest])
    }
  }
  return { pass, take, passToMarker }
}

/** The position of a marker, or of a last byte that may begin one; the length when there is none. */
function findMarker(bytes: Buffer): number {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 1
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isData) return at
  }
  return bytes.length
}

const START = 0xd8
const END = 0xd9
const SCAN = 0xda
/** The segments of applications, and comments. */
const isExtra = (kind: number): boolean => (kind >= 0xe0 && kind <= 0xef) || kind === 0xfe
/** JFIF, and how colors are stored: a profile, and Adobe's segment. */
const KEPT_OF_JPEG = /^(?:\xe0|\xe2ICC_PROFILE\0|\xeeAdobe)/
const EXIF = 'Exif\0\0'

async function* jpeg({ take, passToMarker }: Reader, onFrame: OnFrame): Chunks {
  for (let isScan = false; ;) {
    for await (const data of passToMarker()) if (isScan) yield data
    const marker = await take(2)
    const [, kind] = marker
    if (kind === undefined || kind === END) return yield marker
    const length = kind === START ? Buffer.alloc(0) : await take(2)
    const content = await take(length.length < 2 ? 0 : length.readUInt16BE() - 2)
    const name = String.fromCharCode(kind) + content.toString('latin1', 0, 12)
    isScan = kind === SCAN
    tellFrame(kind, content, onFrame)
    if (!isExtra(kind) || KEPT_OF_JPEG.test(name)) yield Buffer.concat([marker, length, content])
    else if (name.startsWith(`\xe1${EXIF}`)) {
      const exif = Buffer.concat([Buffer.from(EXIF), onlyOrientation(content)])
      yield Buffer.concat([marker, Buffer.of(0, exif.length + 2), exif])
    }
  }
}

function tellFrame(kind: number, content: Buffer, onFrame: OnFrame): void {
  if (isJpegFrame(kind) && content.length >= 5)
    onFrame({ height: content.readUInt16BE(1), width: content.readUInt16BE(3) })
}

/** The chunks of a PNG without metadata: the critical ones (in upper case), colors, sizes and animation. */
const KEPT_OF_PNG = /^[A-Z]|^(?:cHRM|cICP|cLLI|mDCV|gAMA|iCCP|sBIT|sRGB|bKGD|hIST|tRNS|pHYs|sPLT|acTL|fcTL|fdAT)/

async function* png({ take, pass }: Reader): Chunks {
  yield await take(8)
  for (;;) {
    const head = await take(8)
    if (head.length < 8) return yield head
    const name = head.toString('latin1', 4)
    const length = head.readUInt32BE() + 4
    if (KEPT_OF_PNG.test(name)) {
      yield head
      yield* pass(length)
      if (name === 'IEND') return
      continue
    }
    const content = await take(Math.min(length, MOST_OF_EXIF))
    for await (const _dropped of pass(length - content.length));
    if (name !== 'eXIf') continue
    const data = Buffer.concat([Buffer.from(name), onlyOrientation(content)])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length - 4)
    ends.writeUInt32BE(crc32(data), 4)
    yield Buffer.concat([ends.subarray(0, 4), data, ends.subarray(4)])
  }
}

const KEPT_OF_WEBP = /^(?:VP8 |VP8L|ALPH|ANIM|ANMF|ICCP)/
const HAS_XMP = 0x04

/** Overwrites metadata rather than leaving it out, because a WebP begins with its length. */
async function* webp({ take, pass }: Reader): Chunks {
  yield await take(12)
  for (;;) {
    const head = await take(8)
    if (head.length < 8) return yield head
    const name = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    // Chunks begin at even positions.
    const padded = length + (length % 2)
    if (KEPT_OF_WEBP.test(name)) {
      yield head
      yield* pass(padded)
      continue
    }
    const content = await take(Math.min(padded, MOST_OF_EXIF))
    if (name === 'VP8X') content[0] = (content[0] ?? 0) & ~HAS_XMP
    else {
      const orientation = onlyOrientation(content)
      const isExif = name === 'EXIF' && content.length >= orientation.length
      content.fill(0).set(isExif ? orientation : [])
      if (!isExif) head.write('JUNK')
    }
    yield Buffer.concat([head, content])
    for await (const part of pass(padded - content.length)) yield Buffer.alloc(part.length)
  }
}

const MOST_OF_EXIF = 64 * 1024
const ORIENTATION = 0x0112

/** Exif (TIFF 6.0 §2) with one entry: the orientation of this one, 1 when it has none. */
function onlyOrientation(exif: Buffer): Buffer {
  const start = exif.toString('latin1', 0, EXIF.length) === EXIF ? EXIF.length : 0
  const tiff = new DataView(exif.buffer, exif.byteOffset + start, exif.length - start)
  const isLittle = exif[start] === 0x49
  const short = (at: number) => (at + 2 <= tiff.byteLength ? tiff.getUint16(at, isLittle) : 0)
  const directory = tiff.byteLength < 8 ? 0 : tiff.getUint32(4, isLittle)
  const entries = Array.from({ length: short(directory) }, (_, index) => directory + 2 + index * 12)
  const entry = entries.find(at => short(at) === ORIENTATION)
  const minimal = Buffer.from('4d4d002a00000008000101120003000000010001000000000000', 'hex')
  minimal[19] = entry === undefined ? 1 : short(entry + 8)
  return minimal
}
