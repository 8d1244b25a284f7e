import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyDatabase } from '#fairway/cli/backup/database-file'
import { writeFiles } from '../support/files'
import { fw, fwBeside } from '../support/fw'
import { query } from '../support/query'
import { type OwnServer, startServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'
import { startWriters } from '../support/writers'

let server: OwnServer
let ada: TeamPerson
const at = (name: string) => join(server.dataDir, name)

beforeEach(async () => {
  server = await startServer()
  ada = await createTeamWorld(server).person()
})
afterEach(() => server.stop())

const note = async (title: string) => {
  const answer = await ada.browser.post('/_fw/actions/create-note', { json: { title } })
  return { status: answer.status, id: (await answer.json()).result?.note.id }
}
const titles = async () => {
  const answer = await ada.browser.get('/_fw/actions/list-notes')
  return (await answer.json()).result?.notes.map(({ title }: { title: string }) => title).toSorted()
}

function idsIn(path: string): Set<string> {
  const database = new DatabaseSync(path)
  try {
    return new Set(
      database
        .prepare('select id from notes')
        .all()
        .map(({ id }) => String(id)),
    )
  } finally {
    database.close()
  }
}

/** Makes a backup in this process; the first tests prove that `fw backup` does so. */
const copyTo = (name: string) => copyDatabase(at('fairway.db'), at(name))

function passphraseFile(name = 'backup.key'): string {
  writeFileSync(at(name), randomBytes(24).toString('base64'))
  return at(name)
}

describe('fw backup', () => {
  it('copies every acknowledged row during concurrent writes to a file that only its owner can read', async () => {
    const writers = startWriters(ada.browser, 8)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(100)
    const before = [...writers.acknowledged]
    const made = await fwBeside(server, ['backup', at('copies/one.db')])
    const during = writers.acknowledged.length - before.length
    await writers.stop()
    expect([made.code, made.err]).toEqual([0, ''])
    expect(made.out).toMatch(/one\.db: \d+ tables, \d+ rows, checked, \d+ bytes/)
    const copied = idsIn(at('copies/one.db'))
    expect(before.filter(id => !copied.has(id))).toEqual([])
    expect([during > 0, writers.refused.size]).toEqual([true, 0])
    expect(statSync(at('copies/one.db')).mode & 0o777).toBe(0o600)
    expect(readdirSync(at('copies'))).toEqual(['one.db'])
    const checked = await fwBeside(server, ['backup', '--check', at('copies/one.db')])
    expect([checked.code, checked.out]).toEqual([
      0,
      expect.stringMatching(/holds, \d+ tables, \d+ rows, \d+ migrations/),
    ])
  })

  it('includes uploaded files, which a restore brings back with the rows, encrypted or not', async () => {
    await note('before')
    const id = 'a0000000-0000-7000-8000-0000000000ff'
    const place = at(`files/ff/${id}`)
    const bytes = randomBytes(100_001)
    writeFiles(server.dataDir, {
      [`files/ff/${id}`]: '',
      [`files/ff/${id}.part`]: 'half',
      'key.txt': 'a passphrase of some length',
    })
    writeFileSync(place, bytes)
    for (const key of [[], ['--key', at('key.txt')]]) {
      const copy = at(`copy-${key.length}.db`)
      expect((await fwBeside(server, ['backup', copy, ...key])).out).toContain(`${copy}.files: the files`)
      expect(existsSync(at('files/.backup'))).toBe(false)
      expect((await fwBeside(server, ['backup', copy, '--check', ...key])).out).toContain('holds, 1 files')
      rmSync(place)
      await note('after')
      const restored = await fwBeside(server, ['restore', copy, '--replace', at('fairway.db'), ...key])
      expect(restored.code).toBe(0)
      expect(readFileSync(place)).toEqual(bytes)
      await expect.poll(titles).toEqual(['before'])
    }
  })

  it('never overwrites a file and chooses a timestamped name by default', async () => {
    writeFileSync(at('there.db'), 'mine')
    const refused = await fwBeside(server, ['backup', at('there.db')])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is there already. Nothing was written.')])
    expect(readFileSync(at('there.db'), 'utf8')).toBe('mine')
    expect((await fwBeside(server, ['backup'])).code).toBe(0)
    expect(readdirSync(at('backups'))).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z\.db$/)])
  })

  it('encrypts with a passphrase and reports a wrong passphrase and a changed file', async () => {
    await note('A secret plan')
    const key = passphraseFile()
    const made = await fwBeside(server, ['backup', at('one.sealed'), '--key', key])
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('checked, encrypted')])
    expect(readFileSync(at('one.sealed')).includes('A secret plan')).toBe(false)
    expect(readdirSync(server.dataDir).filter(name => name.includes('part') || name.includes('sealing'))).toEqual([])
    const check = (...args: string[]) => fwBeside(server, ['backup', '--check', at('one.sealed'), ...args])
    expect((await check('--key', key)).out).toContain('holds')
    expect((await check()).err).toContain('is encrypted. Name the file with its passphrase: --key <file>')
    expect((await check('--key', passphraseFile('other.key'))).err).toContain('The passphrase is another one')
    truncateSync(at('one.sealed'), statSync(at('one.sealed')).size - 100)
    expect(await check('--key', key)).toMatchObject({ code: 1, err: expect.stringContaining('The file was changed') })
    writeFileSync(at('short.key'), 'short')
    expect((await check('--key', at('short.key'))).err).toContain('fewer than 16 characters')
  })

  it('reports that a damaged backup is not whole', async () => {
    await copyTo('one.db')
    const bytes = readFileSync(at('one.db'))
    bytes.fill(0x41, 4096 * 3, 4096 * 9)
    writeFileSync(at('one.db'), bytes)
    const checked = await fwBeside(server, ['backup', '--check', at('one.db')])
    expect([checked.code, checked.err]).toEqual([
      1,
      expect.stringContaining('is not whole, or no backup of this platform'),
    ])
  })

  it('explains what to do for a libSQL server and for a missing database', async () => {
    const remote = await fw(['backup'], { DATABASE_URL: 'http://127.0.0.1:9' })
    expect([remote.code, remote.err]).toEqual([
      1,
      expect.stringContaining('a libSQL server, which is copied where it runs'),
    ])
    const empty = await fw(['backup'], { DATABASE_URL: `file:${at('nothing/here.db')}` })
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('There is no database at')])
    expect(existsSync(at('nothing'))).toBe(false)
  })
})

describe('fw restore', () => {
  it('changes nothing without --replace, and with it switches a running server and keeps the old file', async () => {
    await note('before')
    await copyTo('one.db')
    await note('after')
    // A backup that was restored from another place can have any file mode.
    chmodSync(at('one.db'), 0o644)
    const dry = await fwBeside(server, ['restore', at('one.db')])
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('Nothing has changed. With --replace')])
    expect(await titles()).toEqual(['after', 'before'])
    const done = await fwBeside(server, ['restore', at('one.db'), '--replace', at('fairway.db')])
    expect([done.code, done.err]).toEqual([0, ''])
    await expect.poll(titles).toEqual(['before'])
    expect((await note('later')).status).toBe(200)
    expect(await titles()).toEqual(['before', 'later'])
    expect((await fetch(`${server.origin}/_fw/health/ready`)).status).toBe(200)
    const kept = readdirSync(server.dataDir).find(name => /^fairway\.db\.before-\d{8}T\d{6}Z$/.test(name)) ?? ''
    expect(idsIn(at(kept)).size).toBe(2)
    for (const name of ['fairway.db', 'fairway.db-wal', 'fairway.db-shm'])
      expect([name, statSync(at(name)).mode & 0o777]).toEqual([name, 0o600])
    expect((await query(server, 'pragma journal_mode')).map(row => row[0])).toEqual(['wal'])
  })

  it('loses no acknowledged row under load, as each is in the kept or in the new file', async () => {
    await note('before')
    await copyTo('one.db')
    const writers = startWriters(ada.browser, 8)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(100)
    expect((await fwBeside(server, ['restore', at('one.db'), '--replace', at('fairway.db')])).code).toBe(0)
    const restoredAt = writers.acknowledged.length
    // The answers of up to eight writes to the old file may still be on their way.
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(restoredAt + 108)
    await writers.stop()
    expect([...writers.refused.keys()].filter(code => code !== 'unavailable')).toEqual([])
    const kept = readdirSync(server.dataDir).find(name => /before-\d{8}T\d{6}Z$/.test(name)) ?? ''
    const [old, live] = [idsIn(at(kept)), new Set((await query(server, 'select id from notes')).map(row => row.id))]
    expect(writers.acknowledged.filter(id => !old.has(id) && !live.has(id))).toEqual([])
    expect(writers.acknowledged.filter(id => live.has(id)).length).toBeGreaterThan(100)
    expect((await query(server, 'pragma integrity_check')).map(row => row[0])).toEqual(['ok'])
  })

  it('rejects a backup of a newer version, and of an older version while a server runs', async () => {
    await note('mine')
    await copyTo('one.db')
    const change = (name: string, sql: string) => {
      copyFileSync(at('one.db'), at(name))
      const database = new DatabaseSync(at(name))
      database.exec(sql)
      database.close()
      return fwBeside(server, ['restore', at(name), '--replace', at('fairway.db')])
    }
    const newer = await change('newer.db', "insert into fw_migrations values ('9999_of_tomorrow', 'x', 0)")
    expect([newer.code, newer.err]).toEqual([1, expect.stringContaining('does not know 9999_of_tomorrow')])
    const older = 'delete from fw_migrations where name = (select max(name) from fw_migrations)'
    const running = await change('older.db', older)
    expect([running.code, running.err]).toEqual([
      1,
      expect.stringContaining('Stop it first; it migrates when it starts'),
    ])
    expect(await titles()).toEqual(['mine'])
    mkdirSync(at('elsewhere'))
    copyFileSync(at('one.db'), at('elsewhere/fairway.db'))
    const stopped = await fwBeside(server, ['restore', at('older.db'), '--to', at('elsewhere'), '--yes'])
    expect([stopped.code, stopped.out]).toEqual([0, expect.stringContaining('1 migrations to come at the next start')])
  })

  it('rejects a file that is not a backup and changes nothing', async () => {
    await note('mine')
    writeFileSync(at('text.db'), 'this is no database, only a text that is long enough '.repeat(100))
    const { code, err } = await fwBeside(server, ['restore', at('text.db'), '--replace', at('fairway.db')])
    expect([code, err]).toEqual([1, expect.stringContaining('file is not a database')])
    expect(await titles()).toEqual(['mine'])
    expect(readdirSync(dirname(at('x'))).filter(name => name.includes('.part'))).toEqual([])
  })

  it('replaces a damaged database with a backup', async () => {
    await note('mine')
    await copyTo('one.db')
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere/fairway.db'), 'A'.repeat(40_000))
    const done = await fwBeside(server, ['restore', at('one.db'), '--to', at('elsewhere'), '--yes'])
    expect(done).toMatchObject({ code: 0, err: '' })
    expect(idsIn(at('elsewhere/fairway.db')).size).toBe(1)
  })
})
