// Components and pages in a DOM of Node, over the built server: what a page says in one state, without a browser.
import { fileURLToPath } from 'node:url'
import { defineVitestProject } from '@nuxt/test-utils/config'
import { defineConfig } from 'vitest/config'
import { sampleDir } from '../../scripts/sample.mjs'

// A page's DOM cannot load the server's code, which checks the recorded statements.
process.env.FW_TEST_UNRECORDED = '1'
const overrides = { modules: [fileURLToPath(new URL('root.mjs', import.meta.url))] }

export default defineConfig(async () => {
  const project = await defineVitestProject({
    test: {
      name: 'components',
      // More than processors: pages wait before they save, search or undo.
      maxWorkers: 4,
      include: ['tests/components/**/*.test.ts'],
      environment: 'nuxt',
      environmentOptions: { nuxt: { rootDir: sampleDir, domEnvironment: 'happy-dom', overrides } },
      // Loading the application anew for each file took a quarter of a run.
      isolate: false,
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
  })
  // The testing module would start an application before each file and load all modules anew. Tests here start one for each page.
  project.test = { ...project.test, setupFiles: [] }
  return {
    test: {
      // The icons are part of the build alone.
      onConsoleLog: (text: string) => !/failed to load icon|<Suspense>/.test(text),
      globalSetup: './tests/support/server-pool.ts',
      projects: [project],
    },
  }
})
