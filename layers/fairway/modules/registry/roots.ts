import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the platform: layers/fairway of its own repository, or a folder in node_modules. */
export const platformDir = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

declare const __FW_COMPILED__: boolean | undefined

/** Whether this runs in the compiled command line (scripts/compile-cli.mjs). */
const isCompiled = typeof __FW_COMPILED__ !== 'undefined'

/**
 * The file to load instead of a source of the platform: in the compiled command line the compiled one, which shares its modules
 * with it, and otherwise the source itself.
 */
export function loadable(file: string): string {
  if (!isCompiled || !isPlatformFile(file)) return file
  const name = relative(platformDir, file).replace(/\.ts$/, '').split(sep).join('--')
  return join(platformDir, 'dist/cli', `${name}.mjs`)
}

/** Whether a file is part of the platform. */
export const isPlatformFile = (file: string): boolean => file === platformDir || file.startsWith(`${platformDir}/`)

/** A message with short file paths: the author's relative to the root of the project, the platform's as `nuxt-fairway/…`. */
export function withShortPaths(message: string, rootDir: string): string {
  const fromRoot = relative(rootDir, platformDir).split(sep).join('/')
  return message
    .replaceAll(new RegExp(`(/|(\\.\\./)+)${RegExp.escape(platformDir.slice(1))}/`, 'g'), 'nuxt-fairway/')
    .replaceAll(`${fromRoot}/`, 'nuxt-fairway/')
    .replaceAll(`${rootDir}/`, '')
}

/**
 * The working folder of the command line: the application with this package, or the application around the working directory if
 * that is inside it (a workspace of several). MCP hosts start commands in any folder, also in other people's applications.
 */
export function applicationDir(): string {
  const home = findApplicationDir(platformDir)
  const near = findApplicationDir(process.cwd())
  if (home === undefined) return near ?? process.cwd()
  return near?.startsWith(`${home}/`) ? near : home
}

/** This folder or its nearest parent with a nuxt.config that is not the platform; undefined if there is none. */
export function findApplicationDir(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (!isPlatformFile(dir) && ['ts', 'mts', 'js', 'mjs'].some(end => existsSync(join(dir, `nuxt.config.${end}`))))
      return dir
    if (dir === dirname(dir)) return undefined
  }
}

/** The author's settings, or the platform's defaults if there are none. */
export function fwConfigFile(rootDir: string): string {
  const ownConfig = join(rootDir, 'fw.config.ts')
  return existsSync(ownConfig) ? ownConfig : join(platformDir, 'server/default-fw-config.ts')
}

/** The aliases for loading sources outside the build; the same as in the build (nuxt.config.ts). */
export const aliases = (rootDir: string): Record<string, string> => ({
  '#fw/config': fwConfigFile(rootDir),
  '#fw/texts': loadable(join(platformDir, 'server/kernel/locale-files.ts')),
  '#fw/client': join(platformDir, 'app/client.ts'),
  '#fw': loadable(join(platformDir, 'server/fw.ts')),
  '#fairway': platformDir,
  '#server': join(rootDir, 'server'),
  '#shared': join(rootDir, 'shared'),
  '~~': rootDir,
  '@@': rootDir,
  '~': join(rootDir, 'app'),
  '@': join(rootDir, 'app'),
})
