import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeChanges } from '../file-change'
import { installPackages } from '../install-packages'
import { type PackageSource, placePackage } from '../package-source'
import { runProgram } from '../run-program'
import { platformDependency } from './raised-versions'
import type { UpgradePlan } from './plan-upgrade'

const LOCKFILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock']

/** Does what was planned and gives the exit code. Where the packages cannot be installed, every file is as it was. */
export async function applyUpgrade(root: string, plan: UpgradePlan, source: PackageSource): Promise<number> {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const old = fileOf(platformDependency(manifest))
  const kept = new Map(
    [...LOCKFILES, ...plan.changes.map(({ path }) => path)]
      .filter(path => existsSync(join(root, path)))
      .map(path => [path, readFileSync(join(root, path))] as const),
  )
  placePackage(source, root)
  writeChanges(root, plan.changes)
  if (!(await installPackages(root))) {
    for (const [path, bytes] of kept) writeFileSync(join(root, path), bytes)
    const placed = fileOf(plan.dependency)
    if (placed && placed !== old) rmSync(join(root, placed), { force: true })
    process.stderr.write('Nothing was changed; `npm install` brings back what is installed.\n')
    return 1
  }
  if (old && old !== fileOf(plan.dependency)) rmSync(join(root, old), { force: true })
  // Projects from the template prepare whenever packages are installed.
  if (!/nuxt prepare|nuxi prepare/.test(manifest)) await runProgram('npx', ['nuxt', 'prepare'], root)
  return 0
}

/** The package that a project carries with it, where it does. */
const fileOf = (dependency: string | undefined): string | undefined =>
  /^file:(?:\.\/)?([\w.-]+\.tgz)$/.exec(dependency ?? '')?.[1]
