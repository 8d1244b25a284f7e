import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { published } from '../../published'
import { aliases, isPlatformFile } from '../registry/roots'
import { filesBelow, NO_SOURCES } from '../registry/discover'

const PACKAGE = 'nuxt-fairway'
const SOURCE = /\.(vue|[cm]?[jt]sx?)$/
const CURE =
  'use #fw in server code, #fw/client in pages and components, nuxt-fairway/tables where drizzle-kit reads; composables and components need no import'

/** The source files of an application's folder. */
export const sourcesBelow = (dir: string): string[] =>
  filesBelow(dir, NO_SOURCES)
    .filter(file => SOURCE.test(file))
    .map(file => join(dir, file))

/** Imports of unpublished platform code, types included: an upgrade would break them. */
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
  if (/^[./]/.test(specifier)) return !isPlatformFile(resolve(dirname(file), specifier))
  const alias = Object.keys(names).find(name => specifier.startsWith(`${name}/`))
  return alias === undefined || !isPlatformFile(join(names[alias] ?? '', specifier.slice(alias.length)))
}

/**
 * The imports of a file; for a component, those of its scripts. Ignores files that do not parse, because the bundler reports them
 * better.
 */
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

/** The relevant settings of an application's nuxt.config. */
interface Settings {
  alias: Record<string, string>
  errorHandler?: unknown
  renderer?: unknown
}

/** Settings of the application that would replace the core of the platform. */
export function settingClashes({ alias, errorHandler, renderer }: Settings, rootDir: string): string[] {
  const ownAliases = aliases(rootDir)
  const renamed = ['#fairway', '#fw', '#fw/client'].filter(name => alias[name] !== ownAliases[name])
  const handlers = [errorHandler].flat()
  return [
    ...renamed.map(name => `nuxt.config, alias['${name}']: this name is the platform's. Choose another one`),
    ...(handlers.length === 1 && isPlatformFile(String(handlers[0]))
      ? []
      : [
          'nuxt.config, nitro.errorHandler: failures are answered by the platform, in one form. Throw AppError of #fw for an answer of your own, and replace app/error.vue for the page',
        ]),
    ...(renderer === undefined
      ? []
      : ['nuxt.config, nitro.renderer: pages are rendered and kept by the platform. Leave it out']),
  ]
}

/** The Vite plugin that refuses server code in browser bundles. Type imports are already removed at this point. */
export const refuseServerCode = (serverDir: string) => ({
  name: 'refuse-server-code',
  enforce: 'pre' as const,
  load(this: { error(message: string): never }, id: string) {
    if (id.startsWith(serverDir))
      this.error(
        `server code in the browser's bundle: ${isPlatformFile(serverDir) ? 'nuxt-fairway/' : ''}server/${id.slice(serverDir.length)}`,
      )
  },
})
