// Adds the platform to the files of an existing Nuxt application: package.json, nuxt.config and tsconfig.json.
import { z } from 'zod'
import { parseModule, type ProxifiedObject } from 'magicast'
import { getDefaultExportOptions } from 'magicast/helpers'
import { setJsonEntry, parseJsonc } from '../hosts/json-entry'
import { overridesSchema } from './package-source'

const group = z.record(z.string(), z.string()).default({})
const manifestSchema = z.object({
  scripts: group,
  dependencies: group,
  devDependencies: group,
  optionalDependencies: group,
  overrides: overridesSchema,
})

/**
 * Packages that the application must share with the platform in one copy: an application that names one gets the platform's
 * version.
 */
const ONE_COPY =
  `nuxt @nuxt/kit @nuxt/ui nitropack h3 vue vue-router @vueuse/core reka-ui tailwindcss drizzle-orm drizzle-kit
  @libsql/client libsql zod typescript vue-tsc vitest`.split(/\s+/)

interface WantedInput {
  /** The package.json of a new project. */
  template: string
  /** The versions of the platform's own packages. */
  pins: Readonly<Record<string, string>>
  remarks: string[]
}

/** A package that the application names, and whose version changes. */
export interface Raised {
  name: string
  from: string
  to: string
}

/** Returns the packages of both texts of a package.json whose versions differ. */
export function raisedPackages(before: string, after: string): Raised[] {
  const packagesOf = (text: string) => {
    const { dependencies, devDependencies } = manifestSchema.parse(JSON.parse(text))
    return { ...dependencies, ...devDependencies }
  }
  const [old, now] = [packagesOf(before), packagesOf(after)]
  return Object.entries(old).flatMap(([name, from]) => {
    const to = now[name]
    return to === undefined || to === from ? [] : [{ name, from, to }]
  })
}

/**
 * Returns the application's package.json with the scripts and packages of a new project; existing scripts stay, with a remark.
 */
export function withPlatform(text: string, { template, pins, remarks }: WantedInput): string {
  const present = manifestSchema.parse(JSON.parse(text))
  const wanted = manifestSchema.parse(JSON.parse(template))
  const versions = Object.entries({ ...onlyNamed(pins, present), ...wanted.dependencies }).map(([name, version]) => {
    const section = Object.hasOwn(present.devDependencies, name) ? 'devDependencies' : 'dependencies'
    return [section, name, version] as const
  })
  const scripts = Object.entries(wanted.scripts).flatMap(([name, script]) => {
    const current = present.scripts[name]
    if (current !== undefined && current !== script)
      remarks.push(`The script ${name} is yours and stays; a new project has: ${script}`)
    return current === undefined ? [['scripts', name, script] as const] : []
  })
  const optional = Object.entries(wanted.optionalDependencies).map(
    ([name, version]) => ['optionalDependencies', name, version] as const,
  )
  // npm refuses an override of a package that the application names itself.
  const named = { ...present.dependencies, ...present.devDependencies, ...present.overrides }
  const overrides = Object.entries(wanted.overrides).flatMap(([name, value]) =>
    Object.hasOwn(named, name) ? [] : [['overrides', name, value] as const],
  )
  return [...scripts, ...versions, ...optional, ...overrides].reduce(
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

// Only the parts of the syntax tree that this file reads.
const node = z.object({ type: z.string(), start: z.number(), end: z.number() })
const objectNode = node.extend({
  type: z.literal('ObjectExpression'),
  properties: z.array(
    z.object({ key: z.object({ name: z.string().optional() }).optional(), value: node.loose().optional() }),
  ),
})

interface NuxtConfigFacts {
  /** The text with the layer in `extends`; undefined when the configuration is not a plain object. */
  extended: string | undefined
  /** The Nitro preset, when the configuration names one as a text. */
  preset?: string
  /** Whether it sets `ssr: false`. */
  isClientOnly: boolean
  /** The strategy of @nuxtjs/i18n, when its settings are plain values; undefined without the module. */
  i18n?: Omit<LanguageModule, 'file'>
}

/** The settings of @nuxtjs/i18n. */
export interface LanguageModule {
  /** The file with the settings. */
  file: string
  /** Its default when undefined. */
  strategy?: string
  /** Whether the settings could be read. */
  isRead: boolean
}

const nitroSchema = z.object({ preset: z.string() })

/**
 * Reads a Nuxt configuration, and returns its text with this layer added to `extends`; everything else stays as it is, byte for
 * byte.
 */
export function readNuxtConfig(text: string, layer: string): NuxtConfigFacts {
  const options: ProxifiedObject | undefined = getDefaultExportOptions(parseModule(text))
  const parsed = objectNode.safeParse(options?.$ast)
  if (!options || !parsed.success) return { extended: undefined, isClientOnly: false }
  const { preset } = nitroSchema.safeParse(Reflect.get(options, 'nitro')).data ?? {}
  return {
    extended: withLayer(text, parsed.data, layer),
    preset,
    isClientOnly: Reflect.get(options, 'ssr') === false,
    i18n: languageModule(text, options),
  }
}

const i18nSchema = z.object({ strategy: z.string().optional() })

/** The settings are in `i18n`, or beside the module's name in `modules`. */
function languageModule(text: string, options: ProxifiedObject): NuxtConfigFacts['i18n'] {
  if (!/(['"`])@nuxtjs\/i18n\1/.test(text)) return undefined
  const inline = /(['"`])@nuxtjs\/i18n\1\s*,\s*\{[^]*?\bstrategy:\s*(['"`])(\w+)\2/.exec(text)?.[3]
  const i18n: unknown = Reflect.get(options, 'i18n')
  if (i18n === undefined) return { strategy: inline, isRead: true }
  const read = i18nSchema.safeParse(i18n)
  return { strategy: read.data?.strategy, isRead: read.success }
}

function withLayer(text: string, object: z.output<typeof objectNode>, layer: string): string {
  const quoted = `'${layer}'`
  const present = object.properties.find(property => property.key?.name === 'extends')?.value
  if (!present) return inserted(text, object, `extends: [${quoted}],`)
  const { start, end } = present
  const value = text.slice(start, end)
  if (/(['"`])nuxt-fairway\1/.test(value)) return text
  // The first entry of the list wins, and existing entries should override the platform.
  const list =
    present.type === 'ArrayExpression'
      ? `${value.slice(0, -1).trimEnd().replace(/,$/, '')}, ${quoted}]`
      : `[${value}, ${quoted}]`
  return text.slice(0, start) + list.replace('[, ', '[') + text.slice(end)
}

function inserted(text: string, { start, end }: { start: number; end: number }, line: string): string {
  const body = text.slice(start + 1, end - 1)
  if (body.trim() === '') return `${text.slice(0, start)}{ ${line.replace(/,$/, '')} }${text.slice(end)}`
  const indent = /^\s*\n(\s+)/.exec(body)?.[1]
  const piece = indent === undefined ? ` ${line}` : `\n${indent}${line}`
  return text.slice(0, start + 1) + piece + text.slice(start + 1)
}

const schema = z.looseObject({
  extends: z.unknown().optional(),
  references: z.array(z.looseObject({ path: z.string() })).default([]),
})

/**
 * Returns the application's tsconfig.json with the projects that Nuxt generates; a different kind of file stays, with a remark.
 */
export function withReferences(text: string | undefined, template: string, remarks: string[]): string {
  if (text === undefined) return template
  const { extends: base, references, ...rest } = schema.parse(parseJsonc(text))
  const wanted = schema.parse(JSON.parse(template)).references
  const missing = wanted.filter(({ path }) => !references.some(present => present.path === path))
  if (missing.length === 0) return text
  if (base !== undefined || /\/[/*]/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))) {
    remarks.push(`tsconfig.json is yours and stays; \`npm run types\` wants these references in it:\n${template}`)
    return text
  }
  return `${JSON.stringify({ ...rest, references: [...references, ...missing] }, null, 2)}\n`
}
