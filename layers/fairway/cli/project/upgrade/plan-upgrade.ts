import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compare } from 'verkit'
import { readEnvFile } from '../../env-file'
import type { FileChange } from '../file-change'
import { changelogBetween } from './changelog-between'
import type { Codemod } from './codemods'
import { raisedVersions } from './raised-versions'
import type { PlatformVersion } from './read-version'
import { settingChanges } from './setting-changes'

export interface UpgradePlan {
  from: string
  to: string
  /** What package.json says of the platform from now on. */
  dependency: string
  changelog: string[]
  /** The migrations that the database gets at the next start. */
  migrations: string[]
  settings: string[]
  /** The codemods that have something to do. */
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

/** All that an upgrade would do and bring; it changes nothing. */
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
      'The settings of the two versions could not be compared; docs/configuration.md of the new one lists them.',
    )
    return []
  }
  return settingChanges(now.settings, next.settings, Object.keys(await readEnvFile(join(root, '.env'))))
}

const NOT_SOURCES = ['node_modules', '.nuxt', '.output', '.data', '.git']

function runCodemods(root: string, codemods: readonly Codemod[]): { changes: FileChange[]; active: Codemod[] } {
  const texts = new Map<string, { before: string; after: string }>()
  const active = codemods.filter(({ files, change }) => {
    const found = globSync(files, { cwd: root, exclude: path => NOT_SOURCES.includes(path) })
    const touched = found.map(path => {
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
