import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { samplePlace } from './sample.mjs'
import { runStep } from './steps.mjs'

const OWN = ['app', 'server', 'shared', 'modules', 'drizzle', 'public', 'fw.config.ts', 'nuxt.config.ts']
const SOURCES = ['layers', 'package-lock.json', 'scripts/build-apart.mjs', ...OWN.map(name => join(samplePlace, name))]
const STAMP = join(samplePlace, '.output/source-stamp')

/** Builds the application, unless the build that is there was made from exactly these sources. */
export async function buildOnce() {
  const wanted = sourceHash()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) {
    console.log('✓ build (already made from these sources)')
    return { name: 'build', ok: true, seconds: 0, output: '' }
  }
  const result = await runStep('build', 'node', ['scripts/build-apart.mjs'], { env: { NODE_ENV: 'production' } })
  if (result.ok) writeFileSync(STAMP, wanted)
  return result
}

function sourceHash() {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap(filesBelow)) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

function filesBelow(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .toSorted()
    .flatMap(name => filesBelow(join(path, name)))
}
