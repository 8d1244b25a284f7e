import { basename, relative, resolve } from 'node:path'
import { isCancel, select, text } from '@clack/prompts'
import { defineCommand, type ParsedArgs } from 'citty'
import { createProject, projectNameFault, titleFault, toTitle, folderFault } from './project/create-project'
import { packageArg, packageSource } from './project/package-source'
import { type Sample, SAMPLES, templateFiles, templateValues } from './project/template'
import { CANCELLED, endWith, isAtTerminal, say, UsageFault } from './terminal'

const args = {
  folder: { type: 'positional', required: false, description: 'The folder, and the name of the project.' },
  sample: { type: 'string', description: `What to begin with: ${Object.keys(SAMPLES).join(' or ')}.` },
  title: { type: 'string', description: 'The name that people see; otherwise it comes from the folder.' },
  package: packageArg,
  install: {
    type: 'boolean',
    default: true,
    description: 'Install the packages.',
    negativeDescription: 'Write the files only.',
  },
  git: {
    type: 'boolean',
    default: true,
    description: 'Begin a git repository.',
    negativeDescription: 'Do not create a Git repository.',
  },
  'dry-run': { type: 'boolean', default: false, description: 'Show what would be written, and write nothing.' },
} as const

/** `fw new <folder>`: creates a project in a folder below the current one. */
export const newCommand = defineCommand({
  meta: { name: 'new', description: 'Make a new project: fw new my-app' },
  args,
  run: ({ args: given }) => endWith(() => make(given)),
})

async function make({ install, git, ...given }: ParsedArgs<typeof args>): Promise<number> {
  const folder = resolve(given.folder ?? (await askFolder()))
  const name = basename(folder)
  const title = given.title ?? toTitle(name)
  const fault = projectNameFault(name) ?? titleFault(title) ?? folderFault(folder)
  if (fault) throw new UsageFault(fault)
  const sample = toSample(given.sample ?? (await askSample()))
  const source = await packageSource(given.package, process.cwd())
  try {
    const files = templateFiles(sample, templateValues(name, title, source.dependency))
    if (given['dry-run']) return show(folder, files)
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
