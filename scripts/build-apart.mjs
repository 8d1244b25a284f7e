// `nuxt build` of the application in a folder, the sample when none is given, with a folder of its own for what is made on the way, so that it runs beside whatever reads `.nuxt`.
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt } from '@nuxt/kit'
import { samplePlace } from './sample.mjs'

// Measurements want bare routes beside the others, in an output of their own (bench/run.mjs).
const modules =
  process.env.FW_BENCH_BUILD === '1' ? [fileURLToPath(new URL('../bench/nuxt-module', import.meta.url))] : []
const cwd = fileURLToPath(new URL(`../${process.argv[2] ?? samplePlace}`, import.meta.url))
const nuxt = await loadNuxt({ cwd, dev: false, overrides: { buildDir: '.nuxt-build', modules } })
nuxt.hook('build:error', error => {
  console.error(error)
  process.exit(1)
})
await buildNuxt(nuxt)
await nuxt.close()
