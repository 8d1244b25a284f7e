import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { declaredNames } from './declared-names'
import type { TableFile } from './load-tables'

const snapshotSchema = z.object({
  tables: z.record(z.string(), z.unknown()),
  views: z.record(z.string(), z.unknown()).default({}),
})

/**
 * The names of tables that are declared otherwise than drizzle-kit has last written them down. None where migrations are
 * written by hand: then nothing says what they add up to.
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

/** Tables and views by their names, in the form that a file has. */
function contentsOf(snapshot: unknown): Record<string, unknown> {
  const { tables, views } = snapshotSchema.parse(JSON.parse(JSON.stringify(snapshot)))
  return { ...tables, ...views }
}
