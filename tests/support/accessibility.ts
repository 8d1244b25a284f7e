import { expect, type Frame, type Page } from '@playwright/test'
import axe from 'axe-core'
import { takePictures } from './pictures'

interface LookInput {
  /** Checks only this part of the page. */
  within?: string
  /** Also checks the page's frames, including those of other sites. */
  isFramed?: boolean
}

/** The rules about colors. The result of every other rule is the same in light and dark mode. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Expects no violation of any rule in the page's current state and color scheme. */
export async function expectNoViolations(page: Page, { within, isFramed = false }: LookInput = {}): Promise<void> {
  await takePictures(page)
  const frames = isFramed ? page.frames() : [page.mainFrame()]
  for (const frame of frames) expectNone(await look(frame, { within, isInner: frame !== page.mainFrame() }))
}

/** Checks all rules in light mode and the color rules in dark mode, which stays on, and the layout at a zoom of 200 %. */
export async function expectNoViolationsInBothColours(page: Page): Promise<void> {
  await takePictures(page)
  await page.emulateMedia({ colorScheme: 'light' })
  expectNone(await look(page), 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  expectNone(await look(page, { rules: COLOUR_RULES }), 'dark')
  await expectNothingCutOff(page)
}

/** WCAG 2.2, 1.4.4 and 1.4.10: at 200 %, a window of 1280 by 800 shows 640 by 400. No page or dialog may be wider. */
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
  /** A document in a frame. The page around it provides the landmarks and headings. */
  isInner?: boolean
}

/** Rules that apply to a whole page, not to a document in a frame. */
const PAGE_RULES = ['landmark-one-main', 'page-has-heading-one', 'region']

/** Returns the violations in this document without its frames. Loads the checker once per document. */
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

// During a transition, text has intermediate colors that users barely see. Waits until transitions have finished.
async function settle(): Promise<void> {
  const isShort = ({ effect }: Animation) => Number(effect?.getComputedTiming().endTime) < 1000
  const running = () => document.getAnimations().filter(isShort)
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
  // The effects of the latest action, such as new colors or a closing dialog, begin in the next frames.
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
