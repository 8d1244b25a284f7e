// Where the application lies that tests, checks and measurements run. It is the root of the repository, until `fw remove sample`
// makes room there; whatever builds, starts or imports it asks here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

/** Where the sample goes when it leaves the root. */
export const SAMPLE_HOME = 'tests/fixtures/sample'
/** Where it is, from the root of the repository; `.` is the root itself. */
export const samplePlace = existsSync(join(root, SAMPLE_HOME, 'nuxt.config.ts')) ? SAMPLE_HOME : '.'
/** The same as an absolute path. */
export const sampleDir = join(root, samplePlace)
/** Every application of the repository, from its root. */
export const applications = [...new Set(['.', samplePlace])]
/** An author's application, from the root: what tests ask about names, looks, pages and hooks of one, built once for all. */
export const authorPlace = 'tests/fixtures/author'
/** The server that a build of the sample makes. */
export const builtServer = join(sampleDir, '.output/server/index.mjs')
