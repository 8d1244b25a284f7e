import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucketStorage } from '#fairway/server/domains/files/bucket-storage'
import { diskStorage } from '#fairway/server/domains/files/disk-storage'
import type { FileStorage } from '#fairway/server/domains/files/storage'
import { newId } from '#fairway/server/kernel/crypto/random'
import { startBucket } from '../../../support/bucket'

const MEBIBYTE = 1024 * 1024

async function* chunks(...parts: (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

async function* broken(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks(...parts)
  throw new Error('the line went dead')
}

const read = async (storage: FileStorage, ...args: Parameters<FileStorage['read']>) => {
  const stream = await storage.read(...args)
  return stream && (await buffer(stream)).toString()
}

const folder = mkdtempSync(join(tmpdir(), 'fw-files-'))
let bucket: Awaited<ReturnType<typeof startBucket>>
let storages: Record<'disk' | 'bucket', FileStorage>

const inBucket = (over: object = {}, prefix = 'app/') =>
  bucketStorage(
    {
      kind: 'bucket',
      endpoint: bucket.endpoint,
      bucket: 'files',
      prefix,
      region: 'us-east-1',
      ...bucket.keys,
      isDirect: true,
      ...over,
    },
    fetch,
  )

beforeAll(async () => {
  bucket = await startBucket()
  storages = { disk: diskStorage(folder), bucket: inBucket() }
})
afterAll(async () => {
  await bucket.stop()
  rmSync(folder, { recursive: true })
})

describe.each(['disk', 'bucket'] as const)('file storage: %s', name => {
  it('reads files whole and in ranges', async () => {
    const key = newId()
    await storages[name].write(key, chunks('0123', '456789'))
    expect(await read(storages[name], key)).toBe('0123456789')
    expect(await read(storages[name], key, { first: 2, last: 4 })).toBe('234')
    expect(await read(storages[name], key, { first: 9, last: 9 })).toBe('9')
  })

  it('stores empty files, and files larger than one upload part', async () => {
    const [empty, large] = [newId(), newId()]
    await storages[name].write(empty, chunks())
    expect(await read(storages[name], empty)).toBe('')
    const piece = Buffer.alloc(MEBIBYTE, 'a')
    await storages[name].write(large, chunks(...Array.from({ length: 19 }, () => piece), Buffer.from('end')))
    const bytes = await read(storages[name], large)
    expect([bytes?.length, bytes?.slice(-4)]).toEqual([19 * MEBIBYTE + 3, 'aend'])
    expect(await read(storages[name], large, { first: 19 * MEBIBYTE, last: 19 * MEBIBYTE + 2 })).toBe('end')
  })

  it.each([1, 20])('stores no file when writing fails after %d MiB', async size => {
    const key = newId()
    const parts = Array.from({ length: size }, () => Buffer.alloc(MEBIBYTE, 'a'))
    await expect(storages[name].write(key, broken(...parts))).rejects.toThrow('the line went dead')
    expect(await storages[name].read(key)).toBeNull()
  })

  it('deletes files, and accepts repeated deletions', async () => {
    const key = newId()
    await storages[name].write(key, chunks('x'))
    for (const _time of [1, 2]) await storages[name].remove(key)
    expect(await storages[name].read(key)).toBeNull()
  })
})

describe('bucket storage', () => {
  it('signs a URL with type and name that works only for this file', async () => {
    const key = newId()
    await storages.bucket.write(key, chunks('x'))
    const headers = { type: 'image/png', disposition: `inline; filename="a.png"; filename*=UTF-8''%C3%A4.png` }
    const address = await storages.bucket.signedAddress?.(key, headers)
    const answer = await fetch(address ?? '')
    expect([answer.status, await answer.text()]).toEqual([200, 'x'])
    expect(answer.headers.get('content-type')).toBe(headers.type)
    expect(answer.headers.get('content-disposition')).toBe(headers.disposition)
    expect(new URL(address ?? '').searchParams.get('X-Amz-Expires')).toBe('60')
    expect((await fetch((address ?? '').replace(key, newId()))).status).toBe(403)
  })

  it('fails with wrong keys', async () => {
    const storage = inBucket({ secretAccessKey: 'wrong' })
    await expect(storage.write(newId(), chunks('x'))).rejects.toThrow()
  })
})
