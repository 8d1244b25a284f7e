import { defineConfig } from '@playwright/test'
import shared from '../../playwright.config'

export default defineConfig({
  ...shared,
  testDir: 'tests/e2e',
  globalSetup: '../../tests/support/server-pool.ts',
  outputDir: '../../test-results/desktop',
})
