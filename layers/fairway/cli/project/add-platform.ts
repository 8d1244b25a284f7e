import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { confirm, isCancel } from '@clack/prompts'
import { z } from 'zod'
import { type AddPlan, planAdd } from './plan-add'
import { findingLines } from './finding'
import { type FileChange, showChanges, writeChanges } from './changes'
import { installPackages } from './run-program'
import { type PackageSource, packageSource, placePackage } from './package-source'
import { titleFault, toTitle } from './create-project'
import { templateValues } from './template'
import { CANCELLED, isAtTerminal, say, sayNext, UsageFault } from '../terminal'

interface Given {
  folder?: string
  package?: string
  install: boolean
  yes: boolean
  'dry-run': boolean
}

/** Makes a Nuxt 4 application extend the platform, after the person has seen the changes. */
export async function addPlatform(options: Given): Promise<number> {
  const folder = resolve(options.folder ?? '.')
  const source = await packageSource(options.package, process.cwd())
  try {
    const plan = await planAdd(folder, templateValues(basename(folder), titleOf(folder), source.dependency))
    showPlan(plan)
    if (plan.changes.length === 0) return 0
    if (plan.findings.some(({ level }) => level === 'stops')) {
      say('Nothing was changed. Take the steps above, then run the command again.')
      return 1
    }
    if (options['dry-run']) return 0
    if (!options.yes && !(await isAgreed())) throw new UsageFault(CANCELLED)
    return await apply(folder, plan.changes, source, options.install)
  } finally {
    source.clean()
  }
}

const nameSchema = z.object({ name: z.string() })

/** Returns the name in the application's package.json, or else of its folder, as a readable title. */
function titleOf(folder: string): string {
  const file = join(folder, 'package.json')
  const named = existsSync(file) ? nameSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data?.name : undefined
  const title = toTitle((named ?? basename(folder)).replace(/^@[^/]*\//, ''))
  return titleFault(title) === undefined ? title : 'Application'
}

function showPlan({ changes, remarks, findings }: AddPlan): void {
  if (changes.length === 0) say('Nothing to change: this application extends the platform already.')
  showChanges(changes)
  for (const remark of remarks) say(remark)
  // Last, where a person looks after a long diff.
  if (changes.length > 0) for (const line of findingLines(findings)) say(line)
}

async function isAgreed(): Promise<boolean> {
  if (!isAtTerminal())
    throw new UsageFault('Nobody is there to agree. Nothing was changed; `--yes` changes these files.')
  const answer = await confirm({ message: 'Change these files?' })
  return !isCancel(answer) && answer
}

async function apply(
  folder: string,
  changes: readonly FileChange[],
  source: PackageSource,
  install: boolean,
): Promise<number> {
  placePackage(source, folder)
  writeChanges(folder, changes)
  say(`${changes.length} files changed.`)
  if (!install) return sayNext(['npm install', 'npm run dev'])
  return (await installPackages(folder)) ? sayNext(['npm run dev']) : 1
}
