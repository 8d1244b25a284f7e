// The location of the application that tests, checks and measurements run. It is the root of the repository, until
// `fw remove sample` moves it. All scripts that build, start or import it read the location from here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The sample's folder after it has left the root. */
export const SAMPLE_HOME = 'tests/fixtures/sample'
/** Its current folder, relative to the root of the repository; `.` is the root. */
export const samplePlace = existsSync(join(root, SAMPLE_HOME, 'nuxt.config.ts')) ? SAMPLE_HOME : '.'
/** The same as an absolute path. */
export const sampleDir = join(root, samplePlace)
/** Every application of the repository, relative to its root. */
export const applications = [...new Set(['.', samplePlace])]
/**
 * An author's application, relative to the root. It has the names, looks, pages and hooks that tests require of one, so one build
 * serves all tests.
 */
export const authorPlace = 'tests/fixtures/author'
/** The built server of the sample. */
export const builtServer = join(sampleDir, '.output/server/index.mjs')
