// Runs `nuxt build` for the application in a folder, the sample by default. Uses a separate build folder, so that other processes
// can read `.nuxt` at the same time.
import { rmSync } from 'node:fs'
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
// Tests inspect the build of the sample; for other applications they only send requests.
const isSample = place === samplePlace
const overrides = { buildDir: '.nuxt-build', modules, ...(isSample ? {} : { sourcemap: false }) }
// Otherwise the scripts of earlier builds would be served and counted too.
rmSync(join(cwd, overrides.buildDir, 'dist'), { recursive: true, force: true })
const nuxt = await loadNuxt({ cwd, dev: false, ready: false, overrides })
if (!isSample) leavePackagesOutside(nuxt)
await nuxt.ready()
nuxt.hook('build:error', error => {
  console.error(error)
  process.exit(1)
})
await buildNuxt(nuxt)
await nuxt.close()
