import { expect, type Frame, type Page } from '@playwright/test'
import axe from 'axe-core'
import { takePictures } from './pictures'

interface LookInput {
  /** Only in this part of the page. */
  within?: string
  /** Also in its frames, those of other sites too. */
  isFramed?: boolean
}

/** The rules that the colours of a page can break; the others find the same in light and dark. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Expects that the page as it is now shuts nobody out: no violation of any rule, in the colours that it has. */
export async function expectNoViolations(page: Page, { within, isFramed = false }: LookInput = {}): Promise<void> {
  await takePictures(page)
  const frames = isFramed ? page.frames() : [page.mainFrame()]
  for (const frame of frames) expectNone(await look(frame, { within, isInner: frame !== page.mainFrame() }))
}

/** The same in light, and for the colours in dark, which the page keeps; and that nothing is cut off at a zoom of 200 %. */
export async function expectNoViolationsInBothColours(page: Page): Promise<void> {
  await takePictures(page)
  await page.emulateMedia({ colorScheme: 'light' })
  expectNone(await look(page), 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  expectNone(await look(page, { rules: COLOUR_RULES }), 'dark')
  await expectNothingCutOff(page)
}

/** At 200 % a window of 1280 by 800 shows 640 by 400 (WCAG 2.2, 1.4.4 and 1.4.10): the page is no wider, a dialog no larger than that. */
async function expectNothingCutOff(page: Page): Promise<void> {
  const size = page.viewportSize()
  if (!size || size.width < 640) return
  await page.setViewportSize({ width: 640, height: 400 })
  await page.evaluate(settle)
  const wider = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')]
    const isOutside = ({ left, right }: DOMRect) => left < 0 || right > clientWidth
    return {
      page: scrollWidth - clientWidth,
      dialogs: dialogs.filter(each => isOutside(each.getBoundingClientRect())).length,
    }
  })
  expect(wider, 'at 200 %').toEqual({ page: 0, dialogs: 0 })
  await page.setViewportSize(size)
  await page.evaluate(settle)
}

interface LookOptions {
  within?: string
  rules?: string[]
  /** A document in a frame: its landmarks and headings are those of the page around it. */
  isInner?: boolean
}

/** What is asked of a whole page. */
const PAGE_RULES = ['landmark-one-main', 'page-has-heading-one', 'region']

/** What the checker finds in the document of this page, without its frames; the checker is loaded once in a document. */
async function look(page: Page | Frame, { within, rules, isInner = false }: LookOptions = {}): Promise<axe.Result[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await page.evaluate(settle)
  const left = isInner ? PAGE_RULES : []
  return page.evaluate(async ({ where, options }) => (await window.axe.run(where, options)).violations, {
    where: within ?? 'html',
    options: {
      resultTypes: ['violations'],
      ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
      rules: Object.fromEntries(left.map(rule => [rule, { enabled: false }])),
    } satisfies axe.RunOptions,
  })
}

// On its way from one colour to another, a text has colours that nobody sees for long.
async function settle(): Promise<void> {
  const isShort = ({ effect }: Animation) => Number(effect?.getComputedTiming().endTime) < 1000
  const running = () => document.getAnimations().filter(isShort)
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
  // What was just asked for (other colours, a dialog that closes) begins in the next frames.
  do {
    await Promise.all(running().map(({ finished }) => finished.catch(() => undefined)))
    await frame()
    await frame()
  } while (running().length > 0)
}

function expectNone(violations: axe.Result[], colours?: string): void {
  const found = violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(node => node.html) }))
  expect(found, colours).toEqual([])
}

declare global {
  interface Window {
    axe: typeof axe
  }
}
