import { join } from 'node:path'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { defineNuxtModule, useLogger } from '@nuxt/kit'
import { z } from 'zod'
import { hasFault, noteWhatIsWrong } from '../dev-server/faults'
import { watchPlace } from '../registry/follow-declarations'
import { buildAgain } from '../registry/server-modules'
import { filesBelow } from '../registry/discover'
import { createLoader, forgetSources, type LoadOptions, reasonOf } from '../registry/load-declarations'
import { checkTables, declaredNames, type TableFile, type TableFiles } from './check-tables'

/**
 * A table that conflicts with the platform's stops the build and the start of the development server. A table without a migration
 * causes a warning.
 */
export default defineNuxtModule({
  meta: { name: 'tables' },
  setup(_options, nuxt) {
    const { rootDir } = nuxt.options
    const logger = useLogger('tables')
    const check = async (again: boolean) => {
      const loaded = await loadTables(rootDir, { again })
      await checkTables(rootDir, loaded)
      const names = await unmigratedTables(rootDir, loaded.files)
      if (names.length === 0) return
      logger.warn(
        `changed without a migration: ${names.join(', ')} (${TABLES_PLACE}). Write it with \`npm run db:generate\`.`,
      )
    }
    if (nuxt.options._prepare) return
    nuxt.hook('build:before', async () => (nuxt.options.dev ? await tell(false) : await check(false)))
    if (!nuxt.options.dev) return
    for (const place of [TABLES_PLACE, 'drizzle']) watchPlace(nuxt, join(rootDir, place), () => tell(true))

    /** Development continues, so that it detects the fix. */
    async function tell(again: boolean): Promise<void> {
      const wasWrong = hasFault(nuxt, 'tables')
      await noteWhatIsWrong(nuxt, 'tables', () => check(again))
      if (wasWrong && !hasFault(nuxt, 'tables')) await buildAgain(nuxt)
    }
  },
})

/** Where an application declares its tables; the same files as in the `schema` of its drizzle.config.ts. */
export const TABLES_PLACE = 'server/database'

/** Loads the files of an application's tables. */
export async function loadTables(rootDir: string, { again = false }: LoadOptions = {}): Promise<TableFiles> {
  const names = filesBelow(join(rootDir, TABLES_PLACE)).filter(name => /^[^/]+(?<!\.d)\.ts$/.test(name))
  if (again) forgetSources(rootDir)
  const load = createLoader(rootDir, { whole: true })
  const loaded: TableFiles = { files: [], faults: [] }
  for (const name of names.toSorted()) {
    const path = `${TABLES_PLACE}/${name}`
    try {
      loaded.files.push({ path, exported: Object.assign({}, await load(path)) })
    } catch (error) {
      loaded.faults.push(`${path}: does not load: ${reasonOf(error, path)}`)
    }
  }
  return loaded
}

const snapshotSchema = z.object({
  tables: z.record(z.string(), z.unknown()),
  views: z.record(z.string(), z.unknown()).default({}),
})

/**
 * The names of tables whose declaration differs from the newest snapshot of drizzle-kit. Empty for handwritten migrations: their
 * combined result is unknown.
 */
export async function unmigratedTables(rootDir: string, files: readonly TableFile[]): Promise<string[]> {
  const then = lastSnapshot(join(rootDir, 'drizzle'))
  const isEmpty = !files.some(({ exported }) => Object.values(exported).some(value => declaredNames(value).length > 0))
  if (!then || (isEmpty && Object.keys(then).length === 0)) return []
  // Loading it takes a second.
  const { generateSQLiteDrizzleJson } = await import('drizzle-kit/api')
  const now = contentsOf(await generateSQLiteDrizzleJson(Object.assign({}, ...files.map(({ exported }) => exported))))
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter(name => !isDeepStrictEqual(then[name], now[name]))
    .toSorted()
}

function lastSnapshot(folder: string): Record<string, unknown> | undefined {
  const meta = join(folder, 'meta')
  const last = existsSync(meta)
    ? readdirSync(meta)
        .filter(name => name.endsWith('_snapshot.json'))
        .toSorted()
        .at(-1)
    : undefined
  if (last) return contentsOf(JSON.parse(readFileSync(join(meta, last), 'utf8')))
  const isByHand = existsSync(folder) && readdirSync(folder).some(name => name.endsWith('.sql'))
  return isByHand ? undefined : {}
}

/** Tables and views by name, in the format of a snapshot file. */
function contentsOf(snapshot: unknown): Record<string, unknown> {
  const { tables, views } = snapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)))
  return { ...tables, ...views }
}
