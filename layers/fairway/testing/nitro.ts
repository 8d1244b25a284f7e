// Replaces `nitropack/runtime` in tests: that module is part of a build and cannot be loaded without one.
import type { H3Error, H3Event } from 'h3'
import { rootDir } from '#fw/root'
import { platformDir } from '#fairway/modules/registry/roots'
import { filesBelow } from '#fairway/modules/registry/discover'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The error handler of the server. */
export const defineNitroErrorHandler = <T extends (error: H3Error, event: H3Event) => unknown>(handler: T): T => handler

/** Returns a server plugin unchanged: tests start no plugins. */
export const defineNitroPlugin = <T>(plugin: T): T => plugin

const ASSETS: Readonly<Record<string, string>> = {
  'assets:migrations': join(platformDir, 'drizzle'),
  'assets:application-migrations': join(rootDir, 'drizzle'),
}

/**
 * Returns the migrations that the build ships, read from their folders; throws for Nitro's other storages, which require a build.
 */
export function useStorage(base = '') {
  const folder = ASSETS[base]
  if (folder === undefined)
    throw new Error(`useStorage('${base}') is Nitro's, which tests run without. Test this route with a built server.`)
  return {
    getKeys: async () => filesBelow(folder),
    getItemRaw: (key: string) => readFile(join(folder, key), 'utf8'),
  }
}

/** Always throws: runtime configuration requires a build. */
export function useRuntimeConfig(): never {
  throw new Error('useRuntimeConfig is Nitro’s, which tests run without. Test this route with a built server.')
}
