import { z } from 'zod'
import { setJsonEntry } from '../../hosts/set-json-entry'

const group = z.record(z.string(), z.string()).default({})
const manifestSchema = z.object({ scripts: group, dependencies: group, devDependencies: group })

/** Packages that must be one copy with the platform's: an application that names one of them gets its version. */
const ONE_COPY = ['nuxt', 'vue', 'vue-router', 'vitest', 'typescript', 'vue-tsc', 'drizzle-kit', '@nuxt/ui']

interface WantedInput {
  /** The package.json of a new project. */
  template: string
  /** The versions of the platform's own packages. */
  pins: Readonly<Record<string, string>>
  remarks: string[]
}

/** The package.json of an application with the scripts and packages of a new project; scripts that are there stay, and are remarked on. */
export function withPlatform(text: string, { template, pins, remarks }: WantedInput): string {
  const present = manifestSchema.parse(JSON.parse(text))
  const wanted = manifestSchema.parse(JSON.parse(template))
  const versions = Object.entries({ ...onlyNamed(pins, present), ...wanted.dependencies }).map(([name, version]) => {
    const section = Object.hasOwn(present.devDependencies, name) ? 'devDependencies' : 'dependencies'
    return [section, name, version] as const
  })
  const scripts = Object.entries(wanted.scripts).flatMap(([name, script]) => {
    const own = present.scripts[name]
    if (own !== undefined && own !== script)
      remarks.push(`The script ${name} is yours and stays; a new project has: ${script}`)
    return own === undefined ? [['scripts', name, script] as const] : []
  })
  return [...scripts, ...versions].reduce(
    (before, [section, name, value]) => setJsonEntry(before, section, name, value),
    text,
  )
}

const onlyNamed = (
  pins: Readonly<Record<string, string>>,
  { dependencies, devDependencies }: z.output<typeof manifestSchema>,
) =>
  Object.fromEntries(
    Object.entries(pins).filter(
      ([name]) => ONE_COPY.includes(name) && Object.hasOwn({ ...dependencies, ...devDependencies }, name),
    ),
  )
