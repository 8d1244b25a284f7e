import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { asPerson, findPostgres } from '../../scripts/postgres.mjs'

const programs = findPostgres()

/** Whether this machine has PostgreSQL. */
export const hasPostgres = programs !== undefined

export interface Postgres {
  /** Runs psql with these arguments; returns its exit code and output. */
  psql(database: string, ...args: string[]): { code: number | null; out: string; err: string }
  /** Creates an empty database with the encoding UTF8, sorted by bytes. */
  create(database: string): void
  /** The rows of a query, each as one JSON value. */
  rows<Row>(database: string, sql: string): Row[]
  stop(): Promise<void>
}

/** Starts a PostgreSQL server with a socket of its own; throws where there is none. */
export async function startPostgres(): Promise<Postgres> {
  if (!programs) throw new Error('There is no PostgreSQL on this machine.')
  const folder = mkdtempSync(join(tmpdir(), 'fw-postgres-'))
  if (asPerson.uid !== undefined) chownSync(folder, asPerson.uid, asPerson.gid)
  const env = { PATH: process.env.PATH, ...programs.env, PGHOST: folder, PGUSER: 'postgres' }
  const data = join(folder, 'data')
  const as = { ...asPerson, cwd: folder, env }
  const made = spawnSync(join(programs.bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], as)
  if (made.status !== 0) throw new Error(String(made.stderr))
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off'].flatMap(each => ['-c', each])
  const server = spawn(join(programs.bin, 'postgres'), ['-D', data, ...settings], { ...as, stdio: 'ignore' })
  const killWithUs = () => server.kill('SIGKILL')
  process.once('exit', killWithUs)
  const psql: Postgres['psql'] = (database, ...args) => {
    const options = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', database]
    const ended = spawnSync(join(programs.bin, 'psql'), [...options, ...args], {
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    return { code: ended.status, out: ended.stdout, err: ended.stderr }
  }
  await vi.waitFor(() => psql('postgres', '-c', 'select 1').code === 0 || Promise.reject(new Error('not up')), 20_000)
  return {
    psql,
    create: database =>
      void psql('postgres', '-c', `create database ${database} template template0 encoding 'UTF8' locale 'C'`),
    rows: (database, sql) => {
      const { out, err } = psql(database, '-t', '-A', '-c', `select to_json(t) from (${sql}) t`)
      if (err) throw new Error(err)
      return out.split('\n').flatMap(line => (line ? [JSON.parse(line)] : []))
    },
    async stop() {
      process.off('exit', killWithUs)
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
