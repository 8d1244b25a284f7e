import { gzipSync } from 'node:zlib'
import { chromium } from '@playwright/test'
import { chromiumFlags, findChromium } from '../scripts/chromium.mjs'

/** JavaScript in kB gzip that a real browser loads until each page is quiet: the sign-in page, and the first application page signed in. */
export async function clientSizes(origin, cookie) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags })
  const size = async (path, cookies) => {
    const context = await browser.newContext()
    await context.addCookies(cookies)
    const page = await context.newPage()
    const scripts = []
    page.on('response', response => {
      if (response.request().resourceType() === 'script') scripts.push(response.body())
    })
    await page.goto(origin + path, { waitUntil: 'networkidle' })
    const bodies = await Promise.all(scripts)
    const inline = await page.locator('script:not([src])').allTextContents()
    await context.close()
    return [...bodies, ...inline].reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000
  }
  const [name, value] = cookie.split('=')
  const signedIn = [{ name, value, url: origin }]
  const sizes = { signIn: await size('/sign-in', []), app: await size('/', signedIn) }
  await browser.close()
  return sizes
}
