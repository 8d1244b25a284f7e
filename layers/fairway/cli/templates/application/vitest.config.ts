import { fairway } from 'nuxt-fairway/vitest'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [fairway()], test: { passWithNoTests: true } })
