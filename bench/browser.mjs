import { gzipSync } from 'node:zlib'
import { chromium } from '@playwright/test'
import lighthouse from 'lighthouse'
import { chromiumFlags, findChromium } from '../scripts/chromium.mjs'
import { freePort, median } from './built-server.mjs'

const SLOWED = 4
const ROUNDS = 5

/**
 * Measures in a real browser. Returns the JavaScript in kB gzip of the sign-in page and of the first application page. Also
 * returns the milliseconds until that page shows its heading and is idle, with the CPU slowed four times, and Lighthouse's
 * performance score with its phone settings.
 */
export async function inBrowser(origin, cookie) {
  const port = await freePort()
  const args = [...chromiumFlags, `--remote-debugging-port=${port}`]
  const browser = await chromium.launch({ executablePath: findChromium(), args })
  const [name, value] = cookie.split('=')
  const signedIn = [{ name, value, url: origin }]
  const times = []
  for (let round = 0; round < ROUNDS; round++) times.push(await interactive(browser, origin, signedIn))
  const found = {
    signIn: await size(browser, `${origin}/sign-in`, []),
    app: await size(browser, `${origin}/`, signedIn),
    interactive: median(times),
    phone: {
      '/': await phoneScore(port, `${origin}/`, { cookie }),
      '/notes': await phoneScore(port, `${origin}/notes`, { cookie }),
      '/about': await phoneScore(port, `${origin}/about`, {}),
      '/sign-in': await phoneScore(port, `${origin}/sign-in`, {}),
    },
  }
  await browser.close()
  return found
}

async function size(browser, url, cookies) {
  const context = await browser.newContext()
  await context.addCookies(cookies)
  const page = await context.newPage()
  const scripts = []
  page.on('response', response => {
    if (response.request().resourceType() === 'script') scripts.push(response.body())
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  const bodies = await Promise.all(scripts)
  const inline = await page.locator('script:not([src])').allTextContents()
  await context.close()
  return [...bodies, ...inline].reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000
}

async function interactive(browser, origin, cookies) {
  const context = await browser.newContext()
  await context.addCookies(cookies)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  await page.goto(`${origin}/`)
  await page.locator('#content h1').waitFor()
  const time = await page.evaluate(() => new Promise(resolve => requestIdleCallback(() => resolve(performance.now()))))
  await context.close()
  return time
}

async function phoneScore(port, url, extraHeaders) {
  const scores = []
  for (let round = 0; round < ROUNDS; round++) {
    const settings = { port, logLevel: 'error', onlyCategories: ['performance'], extraHeaders }
    scores.push((await lighthouse(url, settings)).lhr.categories.performance.score * 100)
  }
  return median(scores)
}
