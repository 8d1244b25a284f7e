import { createJiti } from 'jiti'

// Plain Node loads no TypeScript below node_modules.
const { aliases, fairway } = await createJiti(import.meta.url, { fsCache: true }).import('../testing/plugin.ts')
export { aliases, fairway }

/** The types for vitest.config.ts; in tests the plugin replaces it with the real module. */
export function testApp() {
  throw new Error(
    'testApp is for test files. Give vitest.config.ts the plugin that serves them: plugins: [fairway()], from nuxt-fairway/vitest.',
  )
}
