import { Readable } from 'node:stream'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, describe, expect, it } from 'vitest'
import { storeFile } from '#fairway/server/domains/files'
import type { App } from '#fairway/server/kernel/app-context'
import { createTestApp, type TestApp } from '../../../support/app'
import { query } from '../../../support/query'
import { purge, unwanted } from '../../../support/stored-files'

const MEBIBYTE = 1024 * 1024
let test: TestApp
let folder: string
afterEach(() => test.close())

/** Starts an application with smaller limits. */
async function start(limits: Partial<App['config']['uploads']> = {}) {
  folder = await mkdtemp(join(tmpdir(), 'fw-limits-'))
  const started = await createTestApp({ FW_DATA_DIR: folder })
  const { config } = started.app
  test = { ...started, app: { ...started.app, config: { ...config, uploads: { ...config.uploads, ...limits } } } }
  return test.app
}

interface Sent {
  userId?: string
  orgId?: string | null
  maxPixels?: number
  size?: number
}

/** The bytes as they arrive. */
function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384)
}

/** Uploads bytes; returns the id, or the code of the refusal. */
const upload = (bytes: Buffer, { userId = 'ada', orgId = 'org', maxPixels, size = bytes.length }: Sent = {}) =>
  storeFile(test.app, Readable.from(pieces(bytes)).iterator(), {
    name: 'a',
    size,
    entry: { name: 'scans', upload: { accept: ['*/*'], ...(maxPixels && { maxPixels }) } },
    owner: { userId, orgId },
  }).then(
    ({ id }) => id,
    error => `${error.status} ${error.code}`,
  )
const isStored = (answer: string) => !answer.includes(' ')
const half = Buffer.alloc(MEBIBYTE / 2, 'a')
const REFUSED = '409 too-many-uploads'

describe('uploads without a row', () => {
  it('are limited in bytes for each person and each organization', async () => {
    const app = await start({ perPerson: MEBIBYTE, perOrganization: 2 * MEBIBYTE })
    const ids = [await upload(half), await upload(half)]
    expect(ids.every(isStored)).toBe(true)
    expect(await upload(half)).toBe(REFUSED)
    // The person counts in all of their organizations.
    expect(await upload(half, { orgId: 'other' })).toBe(REFUSED)
    expect(isStored(await upload(half, { userId: 'tom' }))).toBe(true)
    expect(isStored(await upload(half, { userId: 'tim' }))).toBe(true)
    expect(await upload(half, { userId: 'tea' })).toBe(REFUSED)
    // Pictures of people are in no organization.
    expect(isStored(await upload(half, { userId: 'tea', orgId: null }))).toBe(true)
    await query(app, `update fw_files set state = 'kept' where id = ?`, [ids[0]!])
    expect(isStored(await upload(half))).toBe(true)
    expect(await upload(half)).toBe(REFUSED)
    await unwanted(app, ids[1]!)
    expect(await purge(app, { all: false })).toBe(1)
    expect(isStored(await upload(half))).toBe(true)
  })

  it('count by their declared size while they arrive, also with many at once', async () => {
    await start({ perPerson: MEBIBYTE })
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(half)))
    expect(answers.filter(isStored)).toHaveLength(2)
    expect(new Set(answers.filter(answer => !isStored(answer)))).toEqual(new Set([REFUSED]))
    expect(await query(test.app, 'select count(*) as n from fw_files')).toEqual([{ n: 2 }])
  })

  it('count as they arrive when nobody says their size', async () => {
    await start({ perPerson: 96 * MEBIBYTE })
    const long = Buffer.alloc(65 * MEBIBYTE, 'a')
    expect(isStored(await upload(half, { size: 64 * MEBIBYTE }))).toBe(true)
    expect(isStored(await upload(long, { size: 32 * MEBIBYTE }))).toBe(false)
    expect(await query(test.app, 'select size from fw_files')).toEqual([{ size: half.length }])
    expect(isStored(await upload(long, { size: 32 * MEBIBYTE, userId: 'tom' }))).toBe(true)
  })

  it('may be one file that is larger than the limit', async () => {
    await start({ perPerson: MEBIBYTE })
    expect(isStored(await upload(Buffer.alloc(2 * MEBIBYTE, 'a')))).toBe(true)
    expect(await upload(Buffer.from('a'))).toBe(REFUSED)
  })
})

it('an upload is refused when it would use the reserve of the disk', async () => {
  await start({ reserve: Number.MAX_SAFE_INTEGER })
  expect(await upload(half)).toBe('507 no-space-for-files')
  expect(await query(test.app, 'select id from fw_files')).toEqual([])
})

describe('the pixels of an image', () => {
  const plain = (width = 60, height = 40) => sharp({ create: { width, height, channels: 3, background: '#123456' } })
  /** Segments of a color profile, which stay in a JPEG, before its frame. */
  const withProfile = (jpeg: Buffer) => {
    const segment = Buffer.alloc(40_000, 'x')
    segment.set(Buffer.from('\xff\xe2\x9c\x3eICC_PROFILE\0', 'latin1'))
    return Buffer.concat([jpeg.subarray(0, 2), segment, segment, jpeg.subarray(2)])
  }
  /** A picture of one pixel whose first frame is larger. */
  const framed = () => {
    const gif = Buffer.from(
      '47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b',
      'hex',
    )
    gif.writeUInt16LE(300, 32)
    gif.writeUInt16LE(100, 34)
    return gif
  }
  const images: [string, () => Promise<Buffer> | Buffer][] = [
    ['PNG', () => plain().png().toBuffer()],
    ['JPEG', () => plain().jpeg().toBuffer()],
    ['progressive JPEG', () => plain().jpeg({ progressive: true }).toBuffer()],
    ['JPEG with a long profile', async () => withProfile(await plain().jpeg().toBuffer())],
    ['GIF', () => plain().gif().toBuffer()],
    ['GIF with a larger frame', framed],
    ['WebP', () => plain().webp().toBuffer()],
    ['lossless WebP', () => plain().webp({ lossless: true }).toBuffer()],
    ['WebP with a profile', () => plain().withIccProfile('p3').webp().toBuffer()],
    ['AVIF', () => plain().avif().toBuffer()],
  ]

  it.each(images)('are limited before it is stored: %s', async (_name, make) => {
    await start()
    const bytes = await make()
    expect(isStored(await upload(bytes, { maxPixels: 30_000 }))).toBe(true)
    expect(await upload(bytes, { maxPixels: 2399 })).toBe('413 image-too-large')
    expect(await query(test.app, 'select count(*) as n from fw_files')).toEqual([{ n: 1 }])
    const stored = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true })
    expect(stored.filter(entry => entry.isFile() && entry.name !== '.fairway')).toHaveLength(1)
  })

  it('are at most 100 million, unless the upload says otherwise', async () => {
    await start()
    const png = await plain(1, 1).png().toBuffer()
    png.writeUInt32BE(30_000, 16)
    png.writeUInt32BE(30_000, 20)
    expect(await upload(png)).toBe('413 image-too-large')
    expect(isStored(await upload(png, { maxPixels: 900_000_000 }))).toBe(true)
  })

  it('are refused when a long file does not say them at its beginning', async () => {
    await start()
    const webp = Buffer.concat([Buffer.from('RIFF\x04\0\0\0WEBPJUNK', 'latin1'), Buffer.alloc(100_000)])
    expect(await upload(webp)).toBe('413 image-too-large')
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe]), Buffer.alloc(256 * 300, 0xff), Buffer.from([0])])
    const gif = framed()
    expect(await upload(Buffer.concat([gif.subarray(0, 19), comment, gif.subarray(19)]))).toBe('413 image-too-large')
  })
})
