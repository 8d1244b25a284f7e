import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { published } from '../../published'
import { aliases, isHouse } from '../registry/roots'
import { filesBelow, NO_SOURCES } from './file-clashes'

const PACKAGE = 'nuxt-fairway'
const SOURCE = /\.(vue|[cm]?[jt]sx?)$/
const CURE =
  'use #fw in server code, #fw/client in pages and components, nuxt-fairway/tables where drizzle-kit reads; composables and components need no import'

/** The sources of an application's folder. */
export const sourcesBelow = (dir: string): string[] =>
  filesBelow(dir, NO_SOURCES)
    .filter(file => SOURCE.test(file))
    .map(file => join(dir, file))

/** Imports of what the platform does not publish, types too: an upgrade would break them. */
export function importClashes(files: readonly string[], rootDir: string): string[] {
  const names = aliases(rootDir)
  return files.flatMap(file => {
    const refused = specifiersOf(file, readFileSync(file, 'utf8')).filter(each => !isPublished(each, file, names))
    return [...new Set(refused)].map(
      each => `${file}: it imports ${each}, which the platform does not publish; ${CURE}`,
    )
  })
}

function isPublished(specifier: string, file: string, names: Record<string, string>): boolean {
  if (specifier === PACKAGE || specifier.startsWith(`${PACKAGE}/`))
    return `.${specifier.slice(PACKAGE.length)}` in published.exports
  if (specifier in published.imports) return true
  if (/^#(fw|fairway)(\/|$)/.test(specifier)) return false
  if (/^[./]/.test(specifier)) return !isHouse(resolve(dirname(file), specifier))
  const alias = Object.keys(names).find(name => specifier.startsWith(`${name}/`))
  return alias === undefined || !isHouse(join(names[alias] ?? '', specifier.slice(alias.length)))
}

/** What a file imports; of a component, its scripts. What does not parse is left to the bundler, which says it better. */
function specifiersOf(file: string, source: string): string[] {
  const scripts = file.endsWith('.vue')
    ? [...source.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script = '']) => script)
    : [source]
  return scripts.flatMap(script => {
    const { module } = parseSync(file.replace(/\.vue$/, '.tsx'), script)
    return [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) => entries.flatMap(entry => entry.moduleRequest?.value ?? [])),
      ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => script.slice(start + 1, end - 1)),
    ]
  })
}
