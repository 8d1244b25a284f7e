import type { Page } from '@playwright/test'
import { EMBED_PATH, SESSION_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { type HostPage, startHostPage } from '../support/web-server'
import { runAction, signUp } from '../support/people'

const test = base.extend<object, { host: HostPage }>({
  host: oncePerFile(startHostPage),
  serverEnv: async ({ host }, use) => use({ FW_EMBED_ANCESTORS: host.origin }),
})

async function ticketFor(page: Page, origin: string, path = '/embed/notes'): Promise<string> {
  const answer = await page.request.post(`${origin}${EMBED_PATH}/tickets`, { data: { path }, headers: { origin } })
  expect(answer.status()).toBe(201)
  return (await answer.json()).url
}

test('another site embeds the notes without cookies, the session gate or tokens in URLs', async ({
  page,
  origin,
  host,
}) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Harbour plan', text: 'Three berths.' })
  const requests: { url: string; cookie?: string }[] = []
  page.on('request', async request => {
    const { cookie } = await request.allHeaders()
    requests.push({ url: request.url(), cookie })
  })
  const faults: string[] = []
  page.on('console', message => message.type() === 'error' && faults.push(message.text()))
  host.show(await ticketFor(page, origin))
  await page.goto(host.origin)
  const frame = page.frameLocator('iframe')
  await expect(frame.getByRole('heading', { name: 'Harbour plan' })).toBeVisible()
  await expect(frame.getByRole('navigation')).toHaveCount(0)
  const inner = page.frames().find(candidate => candidate.url().startsWith(origin))
  expect(inner?.url()).toBe(`${origin}/embed/notes`)
  await expectNoViolations(page, { isFramed: true })

  await inner?.evaluate(() => location.reload())
  await expect(frame.getByRole('heading', { name: 'Harbour plan' })).toBeVisible()
  const ours = requests.filter(({ url }) => url.startsWith(origin))
  expect(ours.length).toBeGreaterThan(3)
  expect(ours.filter(({ url, cookie }) => cookie || url.includes('fwe_') || url.includes(SESSION_PATH))).toEqual([])
  expect(faults).toEqual([])

  // The person signs out in another tab. The frame says so at its next request and stays on its page.
  expect((await page.request.delete(origin + SESSION_PATH, { headers: { origin } })).status()).toBe(204)
  await inner?.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(frame.getByRole('heading', { name: 'This view has ended' })).toBeVisible()
  await expectNoViolations(page, { isFramed: true })
})

test('a frame reports that its ticket was already used, and a site that is not allowed shows no notes', async ({
  page,
  origin,
  host,
}) => {
  await signUp(page, origin)
  host.show(await ticketFor(page, origin))
  await page.goto(host.origin)
  const frame = page.frameLocator('iframe')
  await expect(frame.getByRole('heading', { name: 'No notes yet' })).toBeVisible()
  await expectNoViolations(page, { isFramed: true })
  await page.goto(host.origin)
  await expect(frame.getByRole('heading', { name: 'This view cannot be opened' })).toBeVisible()
  await expectNoViolations(page, { isFramed: true })

  const stranger = await startHostPage()
  stranger.show(await ticketFor(page, origin))
  const refused = page.waitForEvent('console', message => message.text().includes('frame-ancestors'))
  await page.goto(stranger.origin)
  await refused
  await expect(frame.getByRole('heading', { name: 'Notes' })).toHaveCount(0)
  await stranger.stop()
})
