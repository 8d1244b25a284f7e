import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder that `scripts/setup.mjs` unpacks PostgreSQL into on a machine that has none. */
export const unpackedPostgres = fileURLToPath(new URL('../node_modules/.cache/postgres', import.meta.url))

const foldersIn = folder => (existsSync(folder) ? readdirSync(folder).map(name => `${folder}/${name}`) : [])

/** PostgreSQL refuses to run as root; this is the user `nobody`. */
export const asPerson = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/**
 * Returns the programs of PostgreSQL for the tests of exports: the folder, and the environment that they need. Undefined when
 * there are none.
 */
export function findPostgres() {
  const libraries = foldersIn(`${unpackedPostgres}/usr/lib`).filter(path => path.includes('-linux-'))
  const places = [
    ...(process.env.PATH ?? '').split(':').map(bin => ({ bin, env: {} })),
    ...foldersIn('/usr/lib/postgresql').map(path => ({ bin: `${path}/bin`, env: {} })),
    ...foldersIn(`${unpackedPostgres}/usr/lib/postgresql`).map(path => ({
      bin: `${path}/bin`,
      env: { LD_LIBRARY_PATH: libraries.join(':') },
    })),
  ]
  return places.find(({ bin, env }) =>
    ['initdb', 'postgres', 'psql'].every(
      name => spawnSync(`${bin}/${name}`, ['--version'], { ...asPerson, env, stdio: 'ignore' }).status === 0,
    ),
  )
}
