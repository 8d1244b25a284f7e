import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { copyMigratedDatabase } from '../../../support/database'
import { fw } from '../../../support/fw'

let live: string
let backup: string
let env: Record<string, string>

const ids = (path: string): unknown[] => {
  const database = new DatabaseSync(path)
  try {
    return database
      .prepare('select id from fw_installation')
      .all()
      .map(({ id }) => id)
  } finally {
    database.close()
  }
}

/** A database of the settings, and a backup with another content. */
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-restore-'))
  live = join(folder, 'live.db')
  backup = join(folder, 'monday.db')
  for (const path of [live, backup]) {
    await copyMigratedDatabase(path)
    const database = new DatabaseSync(path)
    database.exec(
      `delete from fw_installation; insert into fw_installation values ('${path === live ? 'live' : 'monday'}', 1)`,
    )
    database.close()
  }
  env = { DATABASE_URL: `file:${live}`, FW_DATA_DIR: join(folder, 'data') }
})

describe('fw restore', () => {
  it('restores into the folder of --to, even when DATABASE_URL names another database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-restored-'))
    const done = await fw(['restore', backup, '--to', folder, '--yes'], env)
    expect([done.code, done.err]).toEqual([0, ''])
    expect([ids(join(folder, 'fairway.db')), ids(live)]).toEqual([['monday'], ['live']])
    expect(readFileSync(join(folder, 'files/.fairway'), 'utf8')).toBe('monday')
    expect(existsSync(env.FW_DATA_DIR!)).toBe(false)
  })

  it('replaces the database of the settings only when its address is stated', async () => {
    const refused = await fw(['restore', backup, '--yes'], env)
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`State its address: --replace ${live}.`)])
    const other = await fw(['restore', backup, '--replace', `${live}.old`], env)
    expect([other.code, other.err]).toEqual([2, expect.stringContaining(`The settings name the database ${live}, not`)])
    const shown = await fw(['restore', backup], env)
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining(`With --replace ${live} it takes the place`)])
    expect(ids(live)).toEqual(['live'])
    expect((await fw(['restore', backup, '--replace', live], env)).code).toBe(0)
    expect(ids(live)).toEqual(['monday'])
    const kept = readdirSync(join(live, '..')).find(name => name.startsWith('live.db.before-')) ?? ''
    expect(ids(join(live, '..', kept))).toEqual(['live'])
  })
})
