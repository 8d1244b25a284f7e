import { defineConfig } from '@playwright/test'
import { chromiumFlags, findChromium } from './scripts/chromium.mjs'

export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/support/server-pool.ts',
  outputDir: 'test-results/e2e',
  workers: 2,
  fullyParallel: false,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    launchOptions: { executablePath: findChromium(), args: chromiumFlags },
    screenshot: 'only-on-failure',
    // Nothing is waited for that only moves; first-run and keyboard are walked with motion.
    reducedMotion: 'reduce',
  },
})
