import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { platformDir } from '../../modules/registry/roots'
import { parseFields } from '../generate/fields'
import { toResource } from '../generate/resource'
import { resourceFiles } from '../generate/resource-files'
import { setJsonEntry } from '../hosts/json-entry'
import type { Sample } from '../names'
import { withOwnNode } from './own-node'
import { platformManifest, sharedVersion } from './package-source'

const folder = fileURLToPath(new URL('../templates', import.meta.url))

/**
 * Returns the files of a new project by path; replaces `{{name}}` with the value of that name. Throws for a name without a value.
 */
export function templateFiles(sample: Sample, values: Readonly<Record<string, string>>): Map<string, string> {
  const parts = sample === 'empty' ? ['application'] : ['application', sample]
  const generated = sample === 'empty' ? [] : [...resourceFiles(toResource(NOTE), ['en', 'de'])]
  const files = new Map([...parts.flatMap(part => filesOf(join(folder, part), values)), ...generated])
  const manifest = platformManifest(platformDir)
  const text = Object.entries(manifest.applicationOverrides).reduce(
    (before, [name, versions]) => setJsonEntry(before, 'overrides', name, versions),
    files.get('package.json') ?? '',
  )
  return files.set('package.json', withOwnNode(text, manifest))
}

/**
 * The sample of new projects. Its migration is stored beside the templates, because drizzle-kit writes one only where packages
 * are installed.
 */
const NOTE = { name: 'note', fields: parseFields(['title:text', 'text:longtext?']), isOrg: false }

function filesOf(dir: string, values: Readonly<Record<string, string>>): [string, string][] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [projectPath(relative(dir, path)), filled(readFileSync(path, 'utf8'), values)]
    })
}

// npm does not ship a .gitignore, and tools would treat a nested package.json as another package.
const projectPath = (path: string): string =>
  path
    .split(sep)
    .map(name => name.replace(/^_dot-/, '.').replace(/^_(?=(package|tsconfig)\.json$)/, ''))
    .join('/')

// Vue writes `{{ … }}` with spaces, so the two are never confused.
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{([\w-]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a template asks for ${name}, which has no value`)
    return value
  })
}

/** The values that the templates require. */
export function templateValues(name: string, title: string, dependency: string): Record<string, string> {
  const manifest = platformManifest(platformDir)
  return {
    name,
    title,
    quotedTitle: title.replaceAll(/['\\]/g, String.raw`\$&`),
    node: manifest.engines.node,
    'nuxt-fairway': dependency,
    'drizzle-orm': sharedVersion(manifest, 'drizzle-orm'),
    zod: sharedVersion(manifest, 'zod'),
  }
}
