import { aliases } from 'nuxt-fairway/vitest'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: aliases(import.meta.dirname) },
  // The platform's sources are TypeScript, and its server pages JSX over Vue.
  oxc: { jsx: { runtime: 'automatic', importSource: 'vue' } },
  test: { server: { deps: { inline: [/nuxt-fairway/] } }, passWithNoTests: true },
})
