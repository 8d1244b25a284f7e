import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  closeSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { afterEach, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { type OwnServer, startServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

let server: OwnServer
let ada: TeamPerson
let clean: (() => void)[] = []
afterEach(async () => {
  await server.stop()
  for (const undo of clean.toReversed()) undo()
  clean = []
})

/** Starts a server with its database in this folder, and signs a person in. */
async function startIn(folder: string): Promise<string> {
  const path = join(folder, 'fairway.db')
  server = await startServer({ database: `file:${path}` })
  ada = await createTeamWorld({ ...server, dataDir: folder }).person()
  return path
}

const note = (title: string) => ada.browser.post('/_fw/actions/create-note', { json: { title } })
const list = () => ada.browser.get('/_fw/actions/list-notes')
const ready = async () => {
  const answer = await fetch(`${server.origin}/_fw/health/ready`)
  return [answer.status, (await answer.json()).checks.database]
}
const told = (message: string) =>
  server
    .log()
    .split('\n')
    .filter(line => line.includes(`"message":"${message}"`))
const FAILS = 'the storage of the database fails'

describe('Full disk', () => {
  it('returns 503 for writes, keeps reading, logs once and recovers when there is space', async context => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-full-'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'tmpfs', folder])
    // Only root can mount a small disk; tests/unit/kernel/database/failing-storage.test.ts limits the file instead.
    if (mounted.status !== 0) return context.skip()
    clean.push(() => void spawnSync('umount', ['-l', folder]))
    await startIn(folder)
    expect((await note('before')).status).toBe(200)
    fill(join(folder, 'fill'))
    const refused = await note('x'.repeat(60))
    expect([refused.headers.get('retry-after'), ...(await statusAndCode(refused))]).toEqual(['5', 503, 'storage-full'])
    for (let round = 0; round < 20; round += 1) expect((await note('again')).status).toBe(503)
    const read = await list()
    expect([read.status, (await read.json()).result.notes]).toEqual([
      200,
      [expect.objectContaining({ title: 'before' })],
    ])
    expect((await ada.browser.get('/_fw/session')).status).toBe(200)
    expect(await ready()).toEqual([503, 'full'])
    const page = await ada.browser.post('/sign-in', {
      form: { intent: 'sign-up', name: 'Eve', email: 'eve@example.test', password: 'quiet harbour lantern 42' },
    })
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('storage is full')
    expect(told(FAILS)).toHaveLength(1)
    rmSync(join(folder, 'fill'))
    expect((await note('after')).status).toBe(200)
    expect(await ready()).toEqual([200, 'ok'])
    expect(told('the storage of the database works again')).toHaveLength(1)
  })
})

/** Writes until the disk is full. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(1024))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

describe('Missing data folder', () => {
  it('returns 503, acknowledges no write and recovers when the folder is back', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'fw-gone-')), 'data')
    mkdirSync(folder)
    await startIn(folder)
    expect((await note('before')).status).toBe(200)
    renameSync(folder, `${folder}.away`)
    expect(await statusAndCode(await note('lost'))).toEqual([503, 'unavailable'])
    await expect.poll(async () => statusAndCode(await list())).toEqual([503, 'unavailable'])
    expect(await ready()).toEqual([503, 'missing'])
    renameSync(`${folder}.away`, folder)
    expect((await note('after')).status).toBe(200)
    expect(await ready()).toEqual([200, 'ok'])
    expect(told(FAILS)).toHaveLength(1)
  })
})

describe('Database lock held by another process', () => {
  it('returns 503 for blocked writes, reads without waiting and recovers when the lock is released', async () => {
    const path = await startIn(mkdtempSync(join(tmpdir(), 'fw-locked-')))
    // A person's first request creates their organization, which is a write.
    expect((await note('before')).status).toBe(200)
    const other = createClient({ url: `file:${path}` })
    const open = await other.transaction('write')
    const writing = note('waits')
    const began = performance.now()
    expect((await list()).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(4000)
    expect(await statusAndCode(await writing)).toEqual([503, 'unavailable'])
    expect(await ready()).toEqual([503, 'locked'])
    await open.rollback()
    other.close()
    expect((await note('after')).status).toBe(200)
    expect(await ready()).toEqual([200, 'ok'])
  })
})

describe('Damaged database pages', () => {
  it('returns 503 with storage-damaged and recovers when the pages are repaired', async () => {
    const path = await startIn(mkdtempSync(join(tmpdir(), 'fw-damaged-')))
    await note('before')
    const other = createClient({ url: `file:${path}` })
    await other.execute('pragma wal_checkpoint(truncate)')
    other.close()
    const whole = readFileSync(path)
    const write = (bytes: Buffer) => {
      const file = openSync(path, 'r+')
      writeSync(file, bytes, 4096, statSync(path).size - 4096, 4096)
      closeSync(file)
    }
    write(Buffer.alloc(whole.length, 0x41))
    await expect.poll(async () => statusAndCode(await list())).toEqual([503, 'storage-damaged'])
    expect(await ready()).toEqual([503, 'damaged'])
    expect(told(FAILS)).toHaveLength(1)
    write(whole)
    await expect.poll(async () => (await list()).status).toBe(200)
  })
})

describe('Server start', () => {
  it('fails with a clear message and no stack for a damaged database file', async () => {
    await startIn(mkdtempSync(join(tmpdir(), 'fw-start-')))
    const folder = mkdtempSync(join(tmpdir(), 'fw-broken-'))
    writeFileSync(join(folder, 'fairway.db'), 'A'.repeat(40_000))
    const failure = await startServer({ database: `file:${join(folder, 'fairway.db')}` }).catch(String)
    expect(failure).toMatch(
      /ended with 1:[^]*The database .*fairway\.db cannot be opened; the file is damaged, or not a database: .*fw restore/,
    )
    expect(failure).not.toMatch(/\n\s+at /)
  })

  it('fails with a clear message for a journal without its database', async () => {
    await startIn(mkdtempSync(join(tmpdir(), 'fw-start-')))
    const folder = mkdtempSync(join(tmpdir(), 'fw-journal-'))
    writeFileSync(join(folder, 'fairway.db-wal'), 'what was written last')
    chmodSync(folder, 0o700)
    const failure = await startServer({ database: `file:${join(folder, 'fairway.db')}` }).catch(String)
    expect(failure).toContain('is gone, but its journal')
    expect(failure).not.toMatch(/\n\s+at /)
  })
})
