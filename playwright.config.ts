import { defineConfig } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/chromium.mjs'

// A process for the pixels costs more than it gives.
const quickFlags = ['--in-process-gpu']

export default defineConfig({
  testDir: 'tests/e2e',
  // Slow tests run only when scripts/test.mjs has chosen them.
  testIgnore: process.env.FW_TEST_SLOW ? [] : ['**/*.slow.spec.ts'],
  globalSetup: './tests/support/server-pool.ts',
  outputDir: 'test-results/e2e',
  workers: 2,
  fullyParallel: false,
  retries: 0,
  // A test walks ten pages in as many seconds on an idle machine; a busy one takes five times as long.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  use: {
    // A new window is a new process, two thirds of the work of a page. `context` in tests/support/e2e.ts says more.
    reuseContext: true,
    launchOptions: { executablePath: findChromium(), args: [...chromiumFlags, ...quickFlags] },
    screenshot: 'only-on-failure',
    // Nothing is waited for that only moves; first-run and keyboard are walked with motion.
    reducedMotion: 'reduce',
  },
})
