// `nuxt build` with a folder of its own for what is made on the way, so that it runs beside whatever reads `.nuxt`.
import { buildNuxt, loadNuxt } from '@nuxt/kit'

const nuxt = await loadNuxt({ cwd: process.cwd(), dev: false, overrides: { buildDir: '.nuxt-build' } })
nuxt.hook('build:error', error => {
  console.error(error)
  process.exit(1)
})
await buildNuxt(nuxt)
await nuxt.close()
