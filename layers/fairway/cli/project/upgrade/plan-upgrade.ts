import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compare, isValid } from 'verkit'
import { z } from 'zod'
import { readEnvFile } from '../../change-file'
import type { FileChange } from '../changes'
import { setJsonEntry } from '../../hosts/json-entry'
import { DESKTOP_PACKAGE, PACKAGE_NAME } from '../../../shared/package'
import { withOwnNode } from '../own-node'
import { overridesSchema, type PlatformManifest, platformManifest } from '../package-source'
import type { Codemod } from './codemods'
import { createJiti } from 'jiti'
import { parseTarGzip } from 'nanotar'

export interface UpgradePlan {
  from: string
  to: string
  /** The new value for the platform in package.json. */
  dependency: string
  changelog: string[]
  /** The migrations that run at the next start. */
  migrations: string[]
  settings: string[]
  /** The codemods with changes. */
  codemods: Codemod[]
  changes: FileChange[]
  remarks: string[]
}

interface PlanInput {
  root: string
  now: PlatformVersion
  next: PlatformVersion
  dependency: string
}

/** Plans an upgrade: its changelog entries and all its changes; writes nothing. */
export async function planUpgrade({ root, now, next, dependency }: PlanInput): Promise<UpgradePlan> {
  const [from, to] = [now.manifest.version, next.manifest.version]
  const remarks: string[] = []
  const before = readFileSync(join(root, 'package.json'), 'utf8')
  const after = raisedVersions(before, { from: now.manifest, to: next.manifest, dependency, remarks })
  const needed = next.codemods.filter(({ version }) => compare(version, from) > 0 && compare(version, to) <= 0)
  const { changes, active } = runCodemods(root, needed)
  return {
    from,
    to,
    dependency,
    changelog: changelogBetween(next.changelog, from, to),
    migrations: next.migrations.filter(name => !now.migrations.includes(name)),
    settings: await settingsOf(root, now, next, remarks),
    codemods: active,
    changes: [...(before === after ? [] : [{ path: 'package.json', before, after }]), ...changes],
    remarks,
  }
}

async function settingsOf(
  root: string,
  now: PlatformVersion,
  next: PlatformVersion,
  remarks: string[],
): Promise<string[]> {
  if (!now.settings || !next.settings) {
    remarks.push(
      'The settings of the two versions could not be compared; docs/reference/settings.md of the new one lists them.',
    )
    return []
  }
  return settingChanges(now.settings, next.settings, Object.keys(await readEnvFile(join(root, '.env'))))
}

const NOT_SOURCES = ['node_modules', '.nuxt', '.output', '.data', '.git']

function runCodemods(root: string, codemods: readonly Codemod[]): { changes: FileChange[]; active: Codemod[] } {
  const texts = new Map<string, { before: string; after: string }>()
  const active = codemods.filter(({ files, change }) => {
    const paths = globSync(files, { cwd: root, exclude: path => NOT_SOURCES.includes(path) })
    const touched = paths.map(path => {
      const before = texts.get(path)?.before ?? readFileSync(join(root, path), 'utf8')
      const present = texts.get(path)?.after ?? before
      const after = change(present, path)
      texts.set(path, { before, after })
      return after !== present
    })
    return touched.includes(true)
  })
  const changes = [...texts].map(([path, text]) => ({ path, ...text })).filter(({ before, after }) => before !== after)
  return { changes, active }
}

const group = z.record(z.string(), z.string()).default({})
const manifestSchema = z.object({
  dependencies: group,
  devDependencies: group,
  overrides: overridesSchema,
})

interface RaiseInput {
  from: PlatformManifest
  to: PlatformManifest
  /** The new value for the platform in package.json. */
  dependency: string
  remarks: string[]
}

/**
 * Returns the package.json of a project with the new version, and the versions of the packages that it shares with the platform.
 */
function raisedVersions(text: string, { from, to, dependency, remarks }: RaiseInput): string {
  const { dependencies, devDependencies } = manifestSchema.parse(JSON.parse(text))
  const sections = Object.entries({ dependencies, devDependencies })
  const wanted = sections.flatMap(([section, packages]) =>
    Object.entries(packages).flatMap(([name, version]) => {
      if (name === PACKAGE_NAME) return [[section, name, dependency] as const]
      if (name === DESKTOP_PACKAGE) return version.endsWith(to.version) ? [] : [[section, name, to.version] as const]
      const [before, after] = [from.dependencies[name], to.dependencies[name]]
      if (before === undefined || after === undefined || version === after) return []
      if (version === before) return [[section, name, after] as const]
      remarks.push(
        `package.json has ${name} ${version}, and the platform ${after}: two copies may not understand each other.`,
      )
      return []
    }),
  )
  const raised = wanted.reduce((before, [section, name, version]) => setJsonEntry(before, section, name, version), text)
  return withOwnNode(raisedOverrides(raised, from.applicationOverrides, to.applicationOverrides), to)
}

/**
 * Returns the new overrides of a project. What the author has changed or removed stays as it is. npm refuses an override of a
 * package that the project names itself.
 */
function raisedOverrides(
  text: string,
  from: PlatformManifest['applicationOverrides'],
  to: PlatformManifest['applicationOverrides'],
): string {
  const { dependencies, devDependencies, overrides } = manifestSchema.parse(JSON.parse(text))
  const installed = { ...dependencies, ...devDependencies }
  const raised = Object.entries(to).filter(
    ([name]) => isDeepStrictEqual(overrides[name], from[name]) && !(Object.hasOwn(installed, name) && !from[name]),
  )
  return raised.reduce((before, [name, versions]) => setJsonEntry(before, 'overrides', name, versions), text)
}

/** Returns the platform's value in a package.json; undefined when it is missing. */
export function platformDependency(text: string): string | undefined {
  const { dependencies, devDependencies } = manifestSchema.parse(JSON.parse(text))
  return dependencies[PACKAGE_NAME] ?? devDependencies[PACKAGE_NAME]
}

/** Returns the lines of a changelog for the versions after one and up to another, in the order of the file. */
export function changelogBetween(text: string, from: string, to: string): string[] {
  return text.split(/^## /m).flatMap(section => {
    const [heading = '', ...lines] = section.split('\n')
    const version = /^\[?v?([\w.+-]+)/.exec(heading)?.[1] ?? ''
    if (!isValid(version) || compare(version, from) <= 0 || compare(version, to) > 0) return []
    return [`${version}:`, ...lines.filter(line => line.trim() !== '')]
  })
}

/** Compares the settings of two versions: one sentence for each that was added, removed or renamed, or has another default. */
export function settingChanges(before: Settings, after: Settings, used: readonly string[]): string[] {
  const gone = Object.keys(before).filter(name => !Object.hasOwn(after, name))
  const come = Object.keys(after).filter(name => !Object.hasOwn(before, name))
  // A setting with the same description under another name was renamed.
  const renamed = new Map(
    gone.flatMap(old => {
      const name = come.find(name => after[name]?.description === before[old]?.description)
      return name ? [[old, name] as const] : []
    }),
  )
  const mark = (name: string) => (used.includes(name) ? ', and your .env has it' : '')
  const names = new Set(renamed.values())
  return [
    ...gone.map(old =>
      renamed.has(old) ? `${old} is called ${renamed.get(old)} now${mark(old)}` : `${old} is gone${mark(old)}`,
    ),
    ...come.filter(name => !names.has(name)).map(name => `${name} is new: ${after[name]?.description}`),
    ...Object.entries(after).flatMap(([name, { unset }]) => {
      const was = before[name]?.unset
      return was === undefined || was === unset
        ? []
        : [`${name}, when it is not set: ${unset} (until now ${was})${mark(name)}`]
    }),
  ]
}

/** The parts of a platform version that an upgrade compares. */
export interface PlatformVersion {
  manifest: PlatformManifest
  /** The names of its migrations, in order. */
  migrations: string[]
  changelog: string
  /** Undefined when the running version cannot read this version's table. */
  settings?: Settings
  codemods: readonly Codemod[]
}

/** The description of a setting. */
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
    // A later version may import packages that are not installed yet.
    settings: await load('server/kernel/config/env.ts')
      .then(table => settingsSchema.parse(table).envTable)
      .catch(() => undefined),
    codemods: codemodsSchema.safeParse(await load('cli/project/upgrade/codemods.ts')).data?.codemods ?? [],
  }
}

/** Below node_modules, where its imports resolve as they will after the installation; npm ignores such folders. */
const PLACE = 'node_modules/.fairway-upgrade'

/** Unpacks the file of a package beside the installed one, and returns its folder. */
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

/** Removes the unpacked files. */
export const removeUnpacked = (root: string): void => rmSync(join(root, PLACE), { recursive: true, force: true })
