// Runs `nuxt build` for the application in a folder, the sample by default. Uses a separate build folder, so that other processes
// can read `.nuxt` at the same time.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt } from '@nuxt/kit'
import { leavePackagesOutside } from './quick-build.mjs'
import { samplePlace } from './sample.mjs'

// Measurements require additional bare routes, in a separate output folder (bench/run.mjs).
const modules =
  process.env.FW_BENCH_BUILD === '1' ? [fileURLToPath(new URL('../bench/nuxt-module', import.meta.url))] : []
const place = process.argv[2] ?? samplePlace
const cwd = fileURLToPath(new URL(`../${place}`, import.meta.url))
const KEPT = ['cache', 'nuxt.json', 'nuxt.lock']
const overrides = { buildDir: '.nuxt-build', modules }
const nuxt = await loadNuxt({ cwd, dev: false, ready: false, overrides })
// Tests inspect the build of the sample; for other applications they only send requests.
if (place !== samplePlace) leavePackagesOutside(nuxt)
await nuxt.ready()
emptyBuildFolder(join(cwd, overrides.buildDir))
nuxt.hook('build:error', error => {
  console.error(error)
  process.exit(1)
})
await buildNuxt(nuxt)
await nuxt.close()

/** Deletes what earlier builds and the start of this one have written, as `nuxt build` does at the same moment. */
function emptyBuildFolder(folder) {
  const left = existsSync(folder) ? readdirSync(folder).filter(name => !KEPT.includes(name)) : []
  for (const name of left) rmSync(join(folder, name), { recursive: true, force: true })
}
