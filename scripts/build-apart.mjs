// `nuxt build` of the application in a folder, the sample when none is given, with a folder of its own for what is made on the way,
// so that it runs beside whatever reads `.nuxt`.
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt } from '@nuxt/kit'
import { leavePackagesOutside } from './quick-build.mjs'
import { samplePlace } from './sample.mjs'

// Measurements want bare routes beside the others, in an output of their own (bench/run.mjs).
const modules =
  process.env.FW_BENCH_BUILD === '1' ? [fileURLToPath(new URL('../bench/nuxt-module', import.meta.url))] : []
const place = process.argv[2] ?? samplePlace
const cwd = fileURLToPath(new URL(`../${place}`, import.meta.url))
// Tests look at the sample's build itself; of others they only look at what is served.
const isSample = place === samplePlace
const overrides = { buildDir: '.nuxt-build', modules, ...(isSample ? {} : { sourcemap: false }) }
const nuxt = await loadNuxt({ cwd, dev: false, ready: false, overrides })
if (!isSample) leavePackagesOutside(nuxt)
await nuxt.ready()
nuxt.hook('build:error', error => {
  console.error(error)
  process.exit(1)
})
await buildNuxt(nuxt)
await nuxt.close()
