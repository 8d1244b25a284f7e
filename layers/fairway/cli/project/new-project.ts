import { basename, relative, resolve } from 'node:path'
import { isCancel, select, text } from '@clack/prompts'
import { createProject, projectNameFault, titleFault, toTitle, folderFault } from './create-project'
import { packageSource } from './package-source'
import { templateFiles, templateValues } from './template'
import { type Sample, SAMPLES } from '../names'
import { CANCELLED, isAtTerminal, say, UsageFault } from '../terminal'

interface Given {
  folder?: string
  sample?: string
  title?: string
  package?: string
  install: boolean
  git: boolean
  'dry-run': boolean
}

/** Creates a project in a new folder, and asks at a terminal for what was not given. Throws a UsageFault for wrong names. */
export async function newProject({ install, git, ...options }: Given): Promise<number> {
  const folder = resolve(options.folder ?? (await askFolder()))
  const name = basename(folder)
  const title = options.title ?? toTitle(name)
  const fault = projectNameFault(name) ?? titleFault(title) ?? folderFault(folder)
  if (fault) throw new UsageFault(fault)
  const sample = toSample(options.sample ?? (await askSample()))
  const source = await packageSource(options.package, process.cwd())
  try {
    const files = templateFiles(sample, templateValues(name, title, source.dependency))
    if (options['dry-run']) return show(folder, files)
    return await createProject({ folder, files, source, install, git })
  } finally {
    source.clean()
  }
}

function toSample(sample: string): Sample {
  if (Object.hasOwn(SAMPLES, sample)) return sample as Sample
  throw new UsageFault(`There is no sample ${sample}. There are ${Object.keys(SAMPLES).join(' and ')}.`)
}

function show(folder: string, files: ReadonlyMap<string, string>): number {
  say(`Would write into ${relative(process.cwd(), folder) || '.'}:`)
  for (const path of [...files.keys()].toSorted()) say(`  ${path}`)
  return 0
}

async function askFolder(): Promise<string> {
  if (!isAtTerminal()) throw new UsageFault('Name the folder: fw new my-app')
  const answer = await text({
    message: 'What is the project called?',
    placeholder: 'my-app',
    defaultValue: 'my-app',
    validate: value => (value ? (projectNameFault(value) ?? folderFault(resolve(value))) : undefined),
  })
  if (isCancel(answer)) throw new UsageFault(CANCELLED)
  return answer
}

async function askSample(): Promise<string> {
  if (!isAtTerminal()) return 'notes'
  const options = Object.entries(SAMPLES).map(([value, hint]) => ({ value, label: value, hint }))
  const answer = await select({ message: 'What to begin with?', options })
  if (isCancel(answer)) throw new UsageFault(CANCELLED)
  return answer
}
