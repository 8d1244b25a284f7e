import type { Locator, Page } from '@playwright/test'

/** The heading of the page itself, which is there once the gate has opened. */
export const pageHeading = (page: Page): Locator => page.locator('main:not([aria-busy]) h1')
