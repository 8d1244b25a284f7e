import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { sampleDir } from '../../scripts/sample.mjs'
import { expectNoViolations } from '../support/accessibility'
import { startDevServer } from '../support/dev-server'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { query } from '../support/query'
import { freePort } from '../support/server'

const test = base.extend<object, { dev: Awaited<ReturnType<typeof startDevServer>> & { dataDir: string } }>({
  dev: oncePerFile(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'fw-devtools-'))
    const port = String(await freePort())
    return { ...(await startDevServer([sampleDir, '--port', port], { env: { FW_DATA_DIR: dataDir } })), dataDir }
  }),
  baseURL: async ({ dev }, use) => use(dev.origin),
})
// A development server builds its first pages on request.
test.setTimeout(240_000)

const person = { intent: 'sign-up', name: 'Tom', email: 'tom@example.test', password: 'a long enough password' }

async function call(context: BrowserContext, origin: string, action: string, data: object) {
  const answer = await context.request.post(`${origin}/_fw/actions/${action}`, { data, headers: { origin } })
  return { status: answer.status(), body: await answer.json() }
}

test('a denial shows its rule, the deciding row and the fix, and the developer can become another person and return', async ({
  dev: { origin },
  page,
  context,
  browser,
}) => {
  await page.goto(`${origin}/sign-in?return=/_fw/devtools`)
  await expect(page.getByText('You are dev@local.test')).toBeVisible()
  const { body } = await call(context, origin, 'create-note', { title: 'Plan' })
  const { id } = body.result.note
  const tom = await browser.newContext()
  await tom.request.post(`${origin}/sign-in?return=/`, { form: person, headers: { origin }, maxRedirects: 0 })
  expect((await call(tom, origin, 'update-note', { id, title: 'Mine' })).status).toBe(404)

  // The page stayed open in the meantime.
  await expect(page.getByRole('link', { name: /denials 1/i })).toBeVisible()
  const request = page.locator('details', { hasText: '/_fw/actions/update-note' })
  await request.locator('summary').click()
  for (const step of ['host and origin', 'session session-cookie', 'input', 'run update-note', 'refused not-found'])
    await expect(request).toContainText(step)
  // The list refreshes without closing open details or losing the focus.
  await call(context, origin, 'list-notes', {})
  await expect(page.locator('summary', { hasText: 'list-notes' })).toBeVisible()
  await expect(request.getByText('Request', { exact: true })).toBeVisible()
  await expect(request.locator('summary')).toBeFocused()

  expect((await tom.request.post(`${origin}/mcp`, { data: {} })).status()).toBe(401)
  await page.getByRole('link', { name: /denials/i }).click()
  await expect(page.getByRole('article').filter({ hasText: '/mcp' })).toContainText('The host sent no token')
  const denial = page.getByRole('article').filter({ hasText: 'update-note' })
  await expect(denial).toContainText('visibility and shares of the row in notes (accessibleTo)')
  await expect(denial).toContainText('The row belongs to dev@local.test')
  await expect(denial).toContainText('visibility private, no share')
  await expect(denial).toContainText("dev@local.test can invite them to Dev's organization under Team.")
  await expectNoViolations(page)

  await page.getByRole('link', { name: /people/i }).click()
  await page.getByRole('button', { name: 'Become Tom' }).click()
  await expect(page.getByText('You are tom@example.test')).toBeVisible()
  const { session } = await (await context.request.get(`${origin}/_fw/session`)).json()
  expect(session).toMatchObject({ email: 'tom@example.test', provider: 'dev' })
  expect((await call(context, origin, 'update-note', { id, title: 'Mine' })).status).toBe(404)
  await page.getByRole('button', { name: 'Back to Dev' }).click()
  await expect(page.getByText('You are dev@local.test')).toBeVisible()
  expect((await call(context, origin, 'update-note', { id, title: 'Mine' })).status).toBe(200)
  await tom.close()
})

test('every view lists its entries, can be searched, fits a narrow screen and works with the keyboard', async ({
  dev: { origin },
  page,
}) => {
  await page.setViewportSize({ width: 375, height: 720 })
  for (const view of ['requests', 'denials', 'tables', 'jobs', 'people', 'mails']) {
    await page.goto(`${origin}/_fw/devtools/${view}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(view)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
    await expectNoViolations(page)
  }
  await page.goto(`${origin}/_fw/devtools/tables`)
  await expect(page.locator('#table-users')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('fw_migrations')
  await expect(page.locator('#table-users')).toHaveCount(0)
  await expect(page).toHaveURL(/q=fw_migrations/)
  await page.getByRole('link', { name: /^fw_migrations/ }).click()
  await expect(page.getByRole('region', { name: 'fw_migrations' })).toContainText('••••')
})

test('jobs are listed with their schedules, run on demand and retried', async ({
  dev: { origin, dataDir },
  page,
  context,
}) => {
  await page.goto(`${origin}/_fw/devtools/jobs`)
  await expect(page.locator('#declared-fw-delete-files')).toContainText('23 * * * * UTC')
  await expect(page.locator('#declared-fw-send-mail').getByRole('button')).toHaveCount(0)
  await page.getByRole('button', { name: 'Run now: fw-purge' }).click()
  await expect(page).toHaveURL(/\/_fw\/devtools\/jobs$/)

  const dead = 'a0000000-0000-7000-8000-000000000001'
  const cancelled = 'a0000000-0000-7000-8000-000000000002'
  const insert = (id: string, state: string, error: string | null) =>
    query(
      { dataDir },
      `insert into fw_jobs (id, name, input, state, attempts, run_at, most_attempts, error, created_at, finished_at)
        values (?, 'fw-purge', '{}', ?, 1, 0, 1, ?, 0, ?)`,
      [id, state, error, Date.now()],
    )
  await insert(dead, 'failed', 'no bytes left')
  await insert(cancelled, 'cancelled', null)
  const row = page.locator(`#job-${dead}`)
  await expect(row).toContainText('no bytes left')
  await expect(row).toContainText('failed')
  await expectNoViolations(page)
  await row.getByRole('button', { name: 'Retry: fw-purge' }).click()
  // Finished jobs of the platform are not listed.
  await expect(row).toHaveCount(0)
  await expect(page.locator(`#job-${cancelled}`)).toContainText('cancelled')
  const act = (form: Record<string, string>) =>
    context.request.post(`${origin}/_fw/devtools/jobs/act`, { form, headers: { origin } })
  expect((await act({ run: 'nothing' })).status()).toBe(404)
  expect((await act({ retry: dead })).status()).toBe(404)
  expect((await context.request.get(`${origin}/_fw/devtools/jobs/act`)).status()).toBe(405)
})

test('requests from other machines, sites and host names are refused', async ({ dev: { origin }, request }) => {
  const ask = async (headers: Record<string, string>) =>
    (await request.get(`${origin}/_fw/devtools/requests`, { headers, maxRedirects: 0 })).status()
  expect(await ask({})).toBe(200)
  expect(await ask({ 'x-forwarded-for': '203.0.113.7' })).toBe(403)
  expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await ask({ host: 'rebound.example.com' })).toBe(421)
  const become = await request.post(`${origin}/_fw/devtools/people/become`, {
    form: { userId: 'x' },
    headers: { origin: 'https://evil.example' },
  })
  expect(become.status()).toBe(403)
})
