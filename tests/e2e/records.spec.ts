import { readFileSync } from 'node:fs'
import { expect, test } from '../support/e2e'
import { expectNoViolations } from '../support/accessibility'
import { aPerson, pageHeading, runAction, signUp } from '../support/people'
import { query } from '../support/query'

// A rule that requires Google would lock the owner out. Setting it therefore requires a confirmation.
test.use({ serverEnv: { GOOGLE_CLIENT_ID: 'records', GOOGLE_CLIENT_SECRET: 'of tests' } })

test('/audit lists actions as sentences, with filters in the URL, details and a CSV export', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  await page.request.put(`${origin}/_fw/org/auth-provider`, { data: { provider: 'google' }, headers: { origin } })
  await runAction(page, origin, 'create-note', { title: 'Weekly metrics', text: '' })
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto('/')
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  const sections = page.getByRole('navigation', { name: 'Team' })
  await sections.getByRole('link', { name: 'Audit log' }).click()
  await expect(pageHeading(page)).toHaveText('Audit log')
  await expect(sections.getByRole('link')).toContainText(['Members', 'Audit log'])
  const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('listitem')
  await expect(rows.filter({ hasText: 'Ada created Weekly metrics' })).toHaveCount(1)
  await expect(rows.filter({ hasText: 'Ada was asked to confirm Set auth provider' })).toContainText('Asked to confirm')

  await page.getByRole('combobox', { name: 'Outcome' }).click()
  await page.getByRole('option', { name: 'Asked to confirm' }).click()
  await expect(page).toHaveURL(/outcome=asked/)
  await expect(rows).toHaveCount(1)
  await page.reload()
  await expect(rows).toHaveCount(1)
  await page.goBack()
  await expect(rows).toHaveCount(2)

  await page.goto('/audit?range=custom&until=2020-01-01')
  await expect(page.getByRole('heading', { name: 'No entries match these filters' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).last().click()
  await expect(rows).toHaveCount(2)

  await page.getByRole('button', { name: 'Show details: Ada created Weekly metrics' }).click()
  const details = page.getByRole('dialog', { name: 'Ada created Weekly metrics' })
  await expect(details).toContainText('create-note')
  await expect(details.getByRole('button', { name: 'Copy the request ID' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(details).toHaveCount(0)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toBe('audit-log.csv')
  const lines = readFileSync(await saved.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  const actions = lines.map(line => line.split(',')[1])
  // The log contains the export too.
  expect(actions).toEqual(['action', 'set-auth-provider', 'create-note', 'export-audit-log'])
  expect(complaints).toEqual([])
})

test('/audit tells a member who can grant access and is hidden from their navigation', async ({
  page,
  origin,
  server,
  browser,
}) => {
  const owner = await browser.newPage({ baseURL: origin })
  await signUp(owner, origin, aPerson('Olga'))
  await signUp(page, origin)
  // The first request creates a person's organization.
  for (const each of [page, owner]) await each.request.get(`${origin}/_fw/session`)
  const [org] = await query(
    server,
    `select org_id from org_members m join users u on u.id = m.user_id where u.name = 'Olga'`,
  )
  await query(
    server,
    `update org_members set org_id = ?, role = 'member' where user_id = (select id from users where name = 'Ada')`,
    [String(org?.org_id)],
  )
  await page.goto('/audit')
  await expect(page.getByRole('heading', { name: 'Only owners and admins can view the audit log' })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Owners and admins' })).toContainText('olga@example.test')
  await expect(page.getByRole('link', { name: 'Audit log' })).toHaveCount(0)
  await expectNoViolations(page)
  await owner.close()
})
