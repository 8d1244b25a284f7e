import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authorPlace, samplePlace } from './sample.mjs'
import { runStep } from './steps.mjs'

const OWN = ['app', 'server', 'shared', 'modules', 'drizzle', 'public', 'fw.config.ts', 'nuxt.config.ts']
const OF_ALL = ['layers', 'package-lock.json', 'scripts/build-apart.mjs', 'scripts/quick-build.mjs']

/** Builds an application, the sample by default, unless the existing build was made from exactly these sources. */
export async function buildOnce(place = samplePlace) {
  const name = place === authorPlace ? 'build of an author' : 'build'
  const stamp = join(place, '.output/source-stamp')
  const wanted = sourceHash(place)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
    console.log(`✓ ${name} (already made from these sources)`)
    return { name, ok: true, seconds: 0, output: '' }
  }
  const result = await runStep(name, 'node', ['scripts/build-apart.mjs', place], { env: { NODE_ENV: 'production' } })
  if (result.ok) writeFileSync(stamp, wanted)
  return result
}

function sourceHash(place) {
  const hash = createHash('sha256')
  for (const path of sourcesOf(place)) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

/** The files that a build of this application is made from. */
export const sourcesOf = place => [...OF_ALL, ...OWN.map(name => join(place, name))].flatMap(filesBelow)

// What tools write beside the sources while tests run: caches of packages, the compiled command line, and what packing copies.
const WRITTEN = /(^|\/)(node_modules|dist)$|^layers\/fairway\/(LICENSE|CHANGELOG\.md)$/

function filesBelow(path) {
  if (!existsSync(path) || WRITTEN.test(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .toSorted()
    .flatMap(name => filesBelow(join(path, name)))
}
