import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare } from 'verkit'
import { applicationDir } from '../../../modules/registry/roots'
import { PACKAGE_NAME } from '../../../shared/package'
import { showChanges, writeChanges } from '../changes'
import { pack, packageSource, type PackageSource, placePackage } from '../package-source'
import { outputOf, installPackages, runProgram } from '../run-program'
import {
  planUpgrade,
  platformDependency,
  readVersion,
  removeUnpacked,
  unpackVersion,
  type UpgradePlan,
} from './plan-upgrade'
import { say, UsageFault } from '../../terminal'

interface Given {
  to?: string
  force: boolean
  'dry-run': boolean
}

/** Shows the changelog and the changes of the next version, then installs it. Throws a UsageFault when the project is not ready. */
export async function upgrade({ to, force, 'dry-run': isDry }: Given): Promise<number> {
  const standing = process.cwd()
  const root = applicationDir()
  const installed = join(root, 'node_modules', PACKAGE_NAME)
  checkProject(root)
  const source = await packageSource(to ?? (await newestVersion(root)), standing)
  const downloads = mkdtempSync(join(tmpdir(), 'fairway-upgrade-'))
  try {
    const tarball = source.tarball ?? (await pack(`${PACKAGE_NAME}@${source.dependency}`, downloads))
    const folder = await unpackVersion(tarball, root)
    const [now, next] = [await readVersion(installed), await readVersion(folder)]
    const plan = await planUpgrade({ root, now, next, dependency: source.dependency })
    showPlan(plan)
    if (plan.changes.length === 0 || isDry) return 0
    if (!force) await checkReady(root, plan)
    const code = await applyUpgrade(root, plan, source)
    if (code === 0) tellRest(plan)
    return code
  } finally {
    removeUnpacked(root)
    rmSync(downloads, { recursive: true })
    source.clean()
  }
}

function checkProject(root: string): void {
  const file = join(root, 'package.json')
  const isInstalled = existsSync(join(root, 'node_modules', PACKAGE_NAME, 'package.json'))
  if (existsSync(join(root, 'layers/fairway/nuxt.config.ts')))
    throw new UsageFault('This is the repository of the platform itself: git brings its next version.')
  if (!existsSync(file) || platformDependency(readFileSync(file, 'utf8')) === undefined)
    throw new UsageFault(`${root} has no package.json with ${PACKAGE_NAME}. \`fw add\` adds it to a Nuxt application.`)
  if (!isInstalled) throw new UsageFault('The packages are not installed. Run `npm install` first.')
}

async function newestVersion(root: string): Promise<string> {
  const written = await outputOf('npm', ['view', PACKAGE_NAME, 'version', '--loglevel=silent'], root).catch(() => {
    throw new UsageFault(
      `npm could not say which version of ${PACKAGE_NAME} is the newest. Name one: fw upgrade --to <version or file>`,
    )
  })
  return written.trim()
}

function showPlan(plan: UpgradePlan): void {
  const { from, to, changes } = plan
  if (changes.length === 0) return say(`${from} is what package.json has already.`)
  say(`${PACKAGE_NAME} ${from} → ${to}`)
  list('What changes', plan.changelog)
  list('Migrations that the database gets at the next start', plan.migrations)
  list('Settings', plan.settings)
  list(
    'Changes of your files that this version asks for',
    plan.codemods.map(({ title }) => title),
  )
  showChanges(changes)
  for (const remark of plan.remarks) say(remark)
}

function list(title: string, lines: readonly string[]): void {
  say(`\n${title}:${lines.length === 0 ? ' none' : ''}`)
  for (const line of lines) say(`  ${line}`)
}

async function checkReady(root: string, { from, to }: UpgradePlan): Promise<void> {
  if (compare(to, from) < 0)
    throw new UsageFault(
      `${to} is older than ${from}, and a database does not go back. \`--force\` goes there all the same.`,
    )
  // Outside a repository there is nothing to commit, and nothing to compare with afterwards.
  const status = await outputOf('git', ['status', '--porcelain', '--', '.'], root).catch(() => '')
  const open = status.split('\n').filter(line => line && !/^\?\? .*nuxt-fairway-[\w.-]+\.tgz$/.test(line))
  if (open.length > 0)
    throw new UsageFault(
      `There are changes that are not committed (${open[0]?.slice(3)}${open.length > 1 ? ', …' : ''}). Commit them first, so that you see what the upgrade changes, or say --force.`,
    )
}

function tellRest({ migrations }: UpgradePlan): void {
  say('\nLeft to do:')
  if (migrations.length > 0) say('  make a backup of the database: the next start changes its tables')
  say('  look at the changes (git diff), run the tests, start the application')
}

const LOCKFILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock']

/** Runs the plan and returns the exit code. When the packages cannot be installed, all files are restored. */
async function applyUpgrade(root: string, plan: UpgradePlan, source: PackageSource): Promise<number> {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const old = fileOf(platformDependency(manifest))
  const contents = new Map(
    [...LOCKFILES, ...plan.changes.map(({ path }) => path)]
      .filter(path => existsSync(join(root, path)))
      .map(path => [path, readFileSync(join(root, path))] as const),
  )
  placePackage(source, root)
  writeChanges(root, plan.changes)
  if (!(await installPackages(root))) {
    for (const [path, bytes] of contents) writeFileSync(join(root, path), bytes)
    const placed = fileOf(plan.dependency)
    if (placed && placed !== old) rmSync(join(root, placed), { force: true })
    process.stderr.write('Nothing was changed; `npm install` brings back what is installed.\n')
    return 1
  }
  if (old && old !== fileOf(plan.dependency)) rmSync(join(root, old), { force: true })
  // Projects from the template run `prepare` whenever packages are installed.
  if (!/nuxt prepare|nuxi prepare/.test(manifest)) await runProgram('npx', ['nuxt', 'prepare'], root)
  return 0
}

/** Returns the package file that a project contains, if it has one. */
const fileOf = (dependency: string | undefined): string | undefined =>
  /^file:(?:\.\/)?([\w.-]+\.tgz)$/.exec(dependency ?? '')?.[1]
