import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the platform itself lies: in layers/fairway of its own repository, or in node_modules. */
export const platformDir = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** Whether a file is the platform's own. */
export const isPlatformFile = (file: string): boolean => file === platformDir || file.startsWith(`${platformDir}/`)

/** A message with its files as an author knows them: their own from the root of the project, the platform's as `nuxt-fairway/…`. */
export function withShortPaths(message: string, rootDir: string): string {
  const fromRoot = relative(rootDir, platformDir).split(sep).join('/')
  return message
    .replaceAll(new RegExp(`(/|(\\.\\./)+)${RegExp.escape(platformDir.slice(1))}/`, 'g'), 'nuxt-fairway/')
    .replaceAll(`${fromRoot}/`, 'nuxt-fairway/')
    .replaceAll(`${rootDir}/`, '')
}

/**
 * The folder that the command line works in: the application that this package is installed in, or the one around the working
 * folder where that lies inside (a workspace of several). MCP hosts start commands anywhere, also in other people's applications.
 */
export function applicationDir(): string {
  const home = findApplicationDir(platformDir)
  const near = findApplicationDir(process.cwd())
  if (home === undefined) return near ?? process.cwd()
  return near?.startsWith(`${home}/`) ? near : home
}

/** This folder, or the next one above it, that has a nuxt.config and is not the platform; undefined where there is none. */
export function findApplicationDir(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (!isPlatformFile(dir) && ['ts', 'mts', 'js', 'mjs'].some(end => existsSync(join(dir, `nuxt.config.${end}`))))
      return dir
    if (dir === dirname(dir)) return undefined
  }
}

/** The author's settings, or the platform's defaults where there are none. */
export function fwConfigFile(rootDir: string): string {
  const own = join(rootDir, 'fw.config.ts')
  return existsSync(own) ? own : join(platformDir, 'server/default-fw-config.ts')
}

/** The short names for everything that loads sources outside of the build; the same as in it (nuxt.config.ts). */
export const aliases = (rootDir: string): Record<string, string> => ({
  '#fw/config': fwConfigFile(rootDir),
  '#fw/texts': join(platformDir, 'server/kernel/locale-files.ts'),
  '#fw/client': join(platformDir, 'app/client.ts'),
  '#fw': join(platformDir, 'server/fw.ts'),
  '#fairway': platformDir,
  '#server': join(rootDir, 'server'),
  '#shared': join(rootDir, 'shared'),
  '~~': rootDir,
  '@@': rootDir,
  '~': join(rootDir, 'app'),
  '@': join(rootDir, 'app'),
})
