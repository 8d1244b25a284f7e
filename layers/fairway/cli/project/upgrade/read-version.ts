import { existsSync, globSync, readFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, dirname, normalize } from 'node:path'
import { createJiti } from 'jiti'
import { z } from 'zod'
import { parseTarGzip } from 'nanotar'
import { type PlatformManifest, platformManifest } from '../package-source'
import type { Codemod } from './codemods'

/** What an upgrade asks of a version of the platform. */
export interface PlatformVersion {
  manifest: PlatformManifest
  /** The names of its migrations, in their order. */
  migrations: string[]
  changelog: string
  /** Undefined where this version's table cannot be read by the one that runs. */
  settings?: Settings
  codemods: readonly Codemod[]
}

/** What people are told of a setting. */
interface Setting {
  description: string
  unset: string
}

export type Settings = Readonly<Record<string, Setting>>

const settingsSchema = z.object({
  envTable: z.record(z.string(), z.object({ description: z.string(), unset: z.string() })),
})
const codemodsSchema = z.object({
  codemods: z.array(
    z.object({
      version: z.string(),
      title: z.string(),
      files: z.string(),
      change: z.custom<Codemod['change']>(value => typeof value === 'function'),
    }),
  ),
})

/** Reads a version of the platform from the folder of its package. */
export async function readVersion(folder: string): Promise<PlatformVersion> {
  const jiti = createJiti(join(folder, 'package.json'), { alias: { '#fairway': folder } })
  const load = async (path: string): Promise<unknown> =>
    existsSync(join(folder, path)) ? jiti.import(join(folder, path)) : {}
  const changelog = join(folder, 'CHANGELOG.md')
  return {
    manifest: platformManifest(folder),
    migrations: globSync('drizzle/*.sql', { cwd: folder })
      .map(path => path.replace(/^drizzle[\\/]|\.sql$/g, ''))
      .toSorted(),
    changelog: existsSync(changelog) ? readFileSync(changelog, 'utf8') : '',
    // A later version may need packages that are not installed yet.
    settings: await load('server/kernel/config/env.ts')
      .then(table => settingsSchema.parse(table).envTable)
      .catch(() => undefined),
    codemods: codemodsSchema.safeParse(await load('cli/project/upgrade/codemods.ts')).data?.codemods ?? [],
  }
}

/** Below node_modules, where what the package imports is found as it will be once it is installed; npm leaves such folders alone. */
const PLACE = 'node_modules/.fairway-upgrade'

/** Unpacks the file of a package beside the installed one, and gives its folder. */
export async function unpackVersion(tarball: string, root: string): Promise<string> {
  const folder = join(root, PLACE)
  removeUnpacked(root)
  for (const { name, data, type } of await parseTarGzip(readFileSync(tarball))) {
    const path = join(folder, normalize(name).replace(/^[^\\/]+[\\/]/, ''))
    if (type !== 'file' || !data || !path.startsWith(folder)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, data)
  }
  return folder
}

/** Removes what was unpacked. */
export const removeUnpacked = (root: string): void => rmSync(join(root, PLACE), { recursive: true, force: true })
