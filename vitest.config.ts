import { fairway } from 'nuxt-fairway/vitest'
import { defineConfig } from 'vitest/config'
import { sampleDir } from './scripts/sample.mjs'

/** Slow tests run only when scripts/test.mjs has chosen them. */
const exclude = process.env.FW_TEST_SLOW ? [] : ['**/*.slow.test.ts']

/** Requests to the sample: in the process of the tests, or sent to the built server where that runs in another form. */
const REQUESTS = 'tests/requests/**/*.test.ts'
const isOtherForm = process.env.FW_SHORTCUTS === 'off' || Number(process.env.FW_TEST_INSTANCES) > 1

export default defineConfig({
  plugins: [fairway({ rootDir: sampleDir })],
  test: {
    maxWorkers: 2,
    // The plugin says so too, but projects take it from here. Loading the server anew for each file takes two thirds of a run.
    isolate: false,
    setupFiles: ['./tests/support/worker-end.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/{unit,architecture}/**/*.test.ts', REQUESTS],
          setupFiles: './tests/support/in-process-only.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'desktop',
          include: ['packages/desktop/tests/unit/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'http',
          include: ['tests/http/**/*.test.ts', 'tests/hosts/sequences.test.ts', ...(isOtherForm ? [REQUESTS] : [])],
          exclude,
          globalSetup: './tests/support/server-pool.ts',
          setupFiles: './tests/support/one-instance-only.ts',
          // More than processors: many tests wait for a peer that is slow, killed or silent.
          maxWorkers: 4,
          testTimeout: 120_000,
          // What is waited for comes from other processes, on a machine that may be busy.
          expect: { poll: { timeout: 10_000 } },
          hookTimeout: 120_000,
        },
      },
      {
        // Projects of authors, made from the packed platform: the short form is part of `npm test`, the long one installs for real.
        extends: true,
        test: {
          name: 'starter',
          include: ['tests/starter/*.test.ts'],
          // A step may download all packages.
          testTimeout: 1_200_000,
          hookTimeout: 600_000,
          bail: 1,
        },
      },
      {
        // Released clients, which `npm run hosts` installs and then runs.
        extends: true,
        test: {
          name: 'hosts',
          include: ['tests/hosts/clients.test.ts'],
          globalSetup: './tests/support/server-pool.ts',
          // After the sequences, where both run.
          sequence: { groupOrder: 1 },
          // mcp-remote 0.1 reads its file of tokens while it writes it, now and then; what the server does wrong stays wrong.
          retry: 2,
          testTimeout: 120_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
