import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { storeFile } from '#fairway/server/domains/files'
import { withoutMetadata } from '#fairway/server/domains/files/without-metadata'
import { storageOf } from '#fairway/server/domains/files/storage-of'
import { createTestApp } from '../../../support/app'
import { query } from '../../../support/query'

const PLACE = 'Reykjavik'
const LATITUDE = '64/1 8/1 47/1'
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="64,8.78N" xmlns:d="urn:d" d:at="${PLACE}"/></rdf:RDF></x:xmpmeta>`

/** A picture of noise that lies on its side, with its place in Exif and in XMP. */
function photo(): Sharp {
  const pixels = Buffer.from(Array.from({ length: 64 * 40 * 3 }, (_, at) => (at * at * 31 + at * 7) % 256))
  return sharp(pixels, { raw: { width: 64, height: 40, channels: 3 } })
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { ImageDescription: PLACE },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: LATITUDE, GPSLongitudeRef: 'W', GPSLongitude: '21/1 56/1 24/1' },
    })
    .withXmp(XMP)
}

/** A segment of IPTC and a comment after the start of a JPEG, and another picture after its end. */
function withIptc(jpeg: Buffer): Buffer {
  const segment = (kind: number, text: string) => {
    const head = Buffer.of(0xff, kind, 0, 0)
    head.writeUInt16BE(text.length + 2, 2)
    return Buffer.concat([head, Buffer.from(text)])
  }
  const iptc = segment(0xed, `Photoshop 3.0\0${PLACE}`)
  return Buffer.concat([jpeg.subarray(0, 2), iptc, segment(0xfe, PLACE), jpeg.subarray(2), Buffer.from(PLACE)])
}

/** A text and a chunk of an unknown kind after the head of a PNG. */
function withText(png: Buffer): Buffer {
  const chunk = (name: string, text: string) => {
    const data = Buffer.from(name + text)
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(text.length)
    ends.writeUInt32BE(crc32(data), 4)
    return Buffer.concat([ends.subarray(0, 4), data, ends.subarray(4)])
  }
  return Buffer.concat([
    png.subarray(0, 33),
    chunk('tEXt', `Comment\0${PLACE}`),
    chunk('prVt', PLACE),
    png.subarray(33),
    Buffer.from(PLACE),
  ])
}

const pictures: [name: string, type: string, make: () => Promise<Buffer>][] = [
  ['JPEG', 'image/jpeg', async () => withIptc(await photo().jpeg().toBuffer())],
  ['progressive JPEG', 'image/jpeg', () => photo().jpeg({ progressive: true, quality: 100 }).toBuffer()],
  ['PNG', 'image/png', async () => withText(await photo().png().toBuffer())],
  ['WebP', 'image/webp', () => photo().webp().toBuffer()],
  ['lossless WebP', 'image/webp', () => photo().webp({ lossless: true }).toBuffer()],
]

/** The bytes in pieces of this size. */
function* pieces(bytes: Buffer, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const strip = (type: string, bytes: Buffer, size = bytes.length): Promise<Buffer> =>
  buffer(Readable.from(withoutMetadata(type, Readable.from(pieces(bytes, size)))))
const pixelsOf = (bytes: Buffer) => sharp(bytes).autoOrient().raw().toBuffer()

describe('withoutMetadata', () => {
  it.each(pictures)(
    'removes the place from a %s and keeps pixels, orientation and colors',
    async (_name, type, make) => {
      const taken = await make()
      expect(taken.includes(PLACE)).toBe(true)
      const kept = await strip(type, taken)
      expect(kept.includes(PLACE)).toBe(false)
      const [before, after] = [await sharp(taken).metadata(), await sharp(kept).metadata()]
      expect(before.exif?.length).toBeGreaterThan(100)
      // The picture lies on its side, and nothing else is said.
      expect(after.orientation).toBe(6)
      expect(after.exif?.toString('hex')).toMatch(/^(457869660000)?4d4d002a0{7}80001011200030000000100060000(00)*$/)
      expect([before.xmp !== undefined, after.xmp, after.iptc, after.comments]).toEqual([
        true,
        undefined,
        undefined,
        undefined,
      ])
      expect(after.icc).toEqual(before.icc)
      expect(await pixelsOf(kept)).toEqual(await pixelsOf(taken))
      for (const size of [1, 2, 3, 7, 1000]) expect(await strip(type, taken, size)).toEqual(kept)
    },
  )

  it('changes no byte of a picture without metadata, and of other types', async () => {
    const pixels = sharp({ create: { width: 20, height: 20, channels: 4, background: '#123456' } })
    expect(await strip('image/jpeg', await pixels.clone().jpeg().toBuffer())).toEqual(
      await pixels.clone().jpeg().toBuffer(),
    )
    expect(await strip('image/png', await pixels.clone().png().toBuffer())).toEqual(
      await pixels.clone().png().toBuffer(),
    )
    expect(await strip('image/webp', await pixels.clone().webp().toBuffer())).toEqual(
      await pixels.clone().webp().toBuffer(),
    )
    const text = Buffer.from(PLACE)
    expect(await strip('text/plain', text)).toEqual(text)
  })

  it.each(pictures)('ends for a %s that was cut or changed anywhere', async (_name, type, make) => {
    const taken = await make()
    for (let at = 0; at < taken.length; at += 1 + Math.floor(taken.length / 200)) {
      // Exif that was cut becomes one that is complete.
      expect((await strip(type, taken.subarray(0, at), 50)).length).toBeLessThan(at + 40)
      const changed = Buffer.from(taken)
      changed[at] = 255 - (changed[at] ?? 0)
      await strip(type, changed, 50)
    }
  })
})

it('an upload is stored without the place, with the size and hash of what is stored', async () => {
  const test = await createTestApp()
  const { app } = test
  const taken = await photo().jpeg().toBuffer()
  const { id, size } = await storeFile(app, Readable.from([taken]).iterator(), {
    name: 'photo.jpg',
    size: taken.length,
    entry: { name: 'photo', upload: { accept: ['image/*'] } },
    owner: { userId: 'u', orgId: null },
  })
  const stored = await buffer((await (await storageOf(app)).read(id)) ?? Readable.from([]))
  expect(stored).toEqual(await strip('image/jpeg', taken))
  expect([size, (await query(app, 'select size, width, height from fw_files'))[0]]).toEqual([
    stored.length,
    { size: stored.length, width: 64, height: 40 },
  ])
  await test.close()
})
