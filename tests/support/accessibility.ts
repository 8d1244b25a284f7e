import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

interface LookInput {
  /** Only in this part of the page. */
  within?: string
  /** Only these rules of the checker. */
  rules?: string[]
  /** Also in frames of other sites, which takes three times as long. */
  isFramed?: boolean
}

/** The rules that the colours of a page can break; the others find the same in light and dark. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Expects that the page as it is now shuts nobody out: no violation of any rule, in the colours that it has. */
export async function expectNoViolations(page: Page, { within, rules, isFramed = false }: LookInput = {}) {
  const checker = new AxeBuilder({ page }).setLegacyMode(!isFramed)
  if (within) checker.include(within)
  if (rules) checker.withRules(rules)
  const { violations } = await checker.analyze()
  const scheme = await page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'))
  expect(
    violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(node => node.html) })),
    scheme,
  ).toEqual([])
}

/** The same in light, and for the colours in dark, which the page keeps. */
export async function expectNoViolationsInBothColours(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await expectNoViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolations(page, { rules: COLOUR_RULES })
}
