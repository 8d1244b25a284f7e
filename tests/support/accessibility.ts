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

/** Checks all rules, and the color rules in the other color scheme too, which stays on. */
export async function expectNoViolationsInBothColours(page: Page): Promise<void> {
  await takePictures(page)
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  expectNone(await look(page), isDark ? 'dark' : 'light')
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' })
  expectNone(await look(page, { rules: COLOUR_RULES }), isDark ? 'light' : 'dark')
}

/** Expects that neither the page nor a dialog is wider than the window, of this size if one is given. */
export async function expectNothingCutOff(page: Page, size?: { width: number; height: number }): Promise<void> {
  if (size) await page.setViewportSize(size)
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
  const { pathname } = new URL(page.url())
  expect(wider, `${pathname} at ${page.viewportSize()?.width} px`).toEqual({ page: 0, dialogs: 0 })
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
