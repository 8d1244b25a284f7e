import { basename } from 'node:path'
import { type Page, test } from '@playwright/test'

const WIDTHS = [375, 768, 1280]
const HEIGHT = 800
const taken = new Map<string, number>()

/** If FW_PICTURES names a folder, saves screenshots in light and dark at three widths, then restores the page's own state. */
export async function takePictures(page: Page): Promise<void> {
  const folder = process.env.FW_PICTURES
  const size = page.viewportSize()
  if (!folder || !size) return
  const { file, testId, title } = test.info()
  const count = (taken.get(testId) ?? 0) + 1
  taken.set(testId, count)
  const name = `${basename(file, '.spec.ts')}-${title.replaceAll(/\W+/g, '-').slice(0, 40)}-${count}`
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(250)
      await page.screenshot({ path: `${folder}/${name}.${colorScheme}.${width}.png`, fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
  await page.setViewportSize(size)
}
