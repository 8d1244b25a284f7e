import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { storeFile } from '#fairway/server/domains/files'
import { storageOf } from '#fairway/server/domains/files/storage-of'
import { newId } from '#fairway/server/kernel/crypto/random'
import { createTestApp, type TestApp } from '../../../support/app'
import { startBucket } from '../../../support/bucket'
import { query } from '../../../support/query'
import { aFile, isStored, newDatabase, purge, unwanted } from '../../../support/stored-files'

const DAY_AGO = `created_at = created_at - 86400001`
const opened: TestApp[] = []
let bucket: Awaited<ReturnType<typeof startBucket>>
let folder: string

beforeAll(async () => {
  bucket = await startBucket()
})
afterAll(() => bucket.stop())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fw-files-'))
})
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
  await rm(folder, { recursive: true, force: true })
})

/** An application over this folder or bucket, with a database of its own unless one is named. */
async function start(env: Record<string, string> = {}, url?: string) {
  const test = await createTestApp({ FW_DATA_DIR: folder, DATABASE_URL: url ?? (await newDatabase()), ...env })
  opened.push(test)
  return test.app
}

const reasons = async (app: TestApp['app']) =>
  (await query(app, `select reason from security_events where kind = 'files-not-deleted'`)).map(row => row.reason)

const places = {
  folder: () => ({}),
  bucket: () => ({
    FW_FILES: `s3://files/${newId()}?endpoint=${bucket.endpoint}`,
    FW_FILES_KEY: bucket.keys.accessKeyId,
    FW_FILES_SECRET: bucket.keys.secretAccessKey,
  }),
}

describe.each(['folder', 'bucket'] as const)('deleteFiles with two databases on one %s', name => {
  it('deletes nothing for the installation that came second, and tells its operators', async () => {
    const env = places[name]()
    const [first, second] = [await start(env), await start(env)]
    const kept = await aFile(first)
    const theirs = await aFile(second)
    await unwanted(second, theirs)
    expect(await purge(second)).toBe(0)
    expect([await isStored(second, kept), await isStored(second, theirs)]).toEqual([true, true])
    expect(await reasons(second)).toEqual([expect.stringMatching(/^the files belong to the installation /)])
    await unwanted(first, kept)
    expect(await purge(first)).toBe(1)
    expect([await isStored(first, kept), await isStored(first, theirs)]).toEqual([false, true])
    expect(await reasons(first)).toEqual([])
  })

  it('deletes nothing while the marker is missing, and goes on once it is back', async () => {
    const app = await start(places[name]())
    const id = await aFile(app)
    await unwanted(app, id)
    const storage = await storageOf(app)
    await storage.remove('.fairway')
    expect([await purge(app), await isStored(app, id)]).toEqual([0, true])
    const [reason] = await reasons(app)
    const [, marker = ''] =
      /the marker \.fairway is missing beside the files; its content is (.+)$/.exec(String(reason)) ?? []
    await storage.write('.fairway', Readable.from([Buffer.from(`${marker}\n`)]))
    expect([await purge(app), await isStored(app, id)]).toEqual([1, false])
  })
})

describe('deleteFiles', () => {
  it('keeps bytes that the database does not know, however old they are', async () => {
    const app = await start()
    await aFile(app)
    const strangers = ['lost-ab', 'half-ab.part', `${newId().slice(0, -2)}ab`].map(file =>
      join(folder, 'files/ab', file),
    )
    await mkdir(join(folder, 'files/ab'), { recursive: true })
    for (const path of strangers) {
      await writeFile(path, 'x')
      await utimes(path, 0, 0)
    }
    await purge(app)
    for (const path of strangers) expect(await readFile(path, 'utf8')).toBe('x')
  })

  it('keeps the files that an older backup of the database does not know', async () => {
    const url = await newDatabase()
    const before = await start({}, url)
    const early = await aFile(before)
    await query(before, 'pragma wal_checkpoint(truncate)')
    const backup = join(folder, 'backup.db')
    await copyFile(url.slice('file:'.length), backup)
    const late = await aFile(before)
    const restored = await start({}, `file:${backup}`)
    await unwanted(restored, early)
    expect(await purge(restored)).toBe(1)
    expect([await isStored(restored, early), await isStored(restored, late)]).toEqual([false, true])
  })

  it('stops when more than 100 files and a fifth of all would go, until an operator names their number', async () => {
    const app = await start()
    const gone = [await aFile(app), await aFile(app)]
    const add = (state: string, count: number) =>
      query(
        app,
        `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
          insert into fw_files (id, org_id, upload, name, type, size, sha256, state, table_name, created_at)
          select ? || n, 'org', 'scans', 'a', 'text/plain', 1, 'x', ?, 'scans', 0 from numbers`,
        [count, state, state],
      )
    await add('unwanted', 99)
    await unwanted(app, gone[0]!)
    expect(await purge(app, { all: false })).toBe(100)
    await add('unwanted', 100)
    await add('kept', 300)
    await unwanted(app, gone[1]!)
    const abandoned = await aFile(app)
    await query(app, `update fw_files set ${DAY_AGO} where id = ?`, [abandoned])
    expect(await purge(app, { all: false })).toBe(1)
    expect([await isStored(app, gone[1]!), await isStored(app, abandoned)]).toEqual([true, false])
    expect(await reasons(app)).toEqual([
      `101 of 401 files would be deleted; to delete them: fw jobs run fw-delete-files '{"all":false,"most":101}'`,
    ])
    expect(await purge(app, { all: false, most: 101 })).toBe(101)
    expect(await isStored(app, gone[1]!)).toBe(false)
  })

  it('marks no file as lost when too many rows have lost theirs at once', async () => {
    const app = await start()
    await query(
      app,
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 150)
        insert into fw_files (id, org_id, upload, name, type, size, sha256, state, table_name, created_at)
        select 'lost' || n, 'org', 'scans', 'a', 'text/plain', 1, 'x', 'kept', 'scans', 0 from numbers`,
    )
    expect(await purge(app)).toBe(0)
    expect(await query(app, 'select distinct state from fw_files')).toEqual([{ state: 'kept' }])
    expect(await reasons(app)).toHaveLength(1)
  })
})

describe('storeFile', () => {
  const entry = { name: 'scans', upload: { accept: ['*/*'] } }
  const owner = { userId: 'ada', orgId: 'org' }

  it('notes the id before the bytes are written, and deletes both when the upload fails', async () => {
    const app = await start()
    const seen: unknown[] = []
    async function* arriving() {
      yield Buffer.alloc(64 * 1024, 'a')
      seen.push(...(await query(app, 'select state, size from fw_files')))
      throw new Error('the line went dead')
    }
    await expect(storeFile(app, arriving(), { name: 'a', size: 100_000, entry, owner })).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(seen).toEqual([{ state: 'writing', size: 100_000 }])
    expect(await query(app, 'select id from fw_files')).toEqual([])
  })

  it('leaves no file when its organization is deleted meanwhile', async () => {
    const app = await start()
    let id = ''
    async function* arriving() {
      yield Buffer.alloc(64 * 1024, 'a')
      id = String((await query(app, 'select id from fw_files'))[0]?.id)
      await query(app, `update fw_files set state = 'unwanted'`)
    }
    await expect(storeFile(app, arriving(), { name: 'a', size: 100_000, entry, owner })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect([await query(app, 'select id from fw_files'), await isStored(app, id)]).toEqual([[], false])
  })

  it('is finished by the purge when its process died, a day later', async () => {
    const app = await start()
    const id = await aFile(app)
    await query(app, `update fw_files set state = 'writing'`)
    const path = join(folder, 'files', id.slice(-2), `${id}.part`)
    await writeFile(path, 'half')
    expect(await purge(app)).toBe(0)
    await query(app, `update fw_files set ${DAY_AGO}`)
    expect([await purge(app), await isStored(app, id)]).toEqual([1, false])
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
