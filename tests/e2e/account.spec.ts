import { readFileSync } from 'node:fs'
import { newestMail } from '../support/mail'
import { query } from '../support/query'
import { expect, test } from '../support/e2e'
import { expectNoViolations } from '../support/accessibility'
import { aPerson, pageHeading, runAction, signUp } from '../support/people'

/** A red picture, twice as wide as high. */
const WIDE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR4nGP4z8AARwzIHABvqgf5gNwAKAAAAABJRU5ErkJggg==',
  'base64',
)

test.beforeEach(async ({ page, origin, server }) => {
  const { email } = await signUp(page, origin)
  await query(server, 'update users set email_verified = 1 where email = ?', [email])
})

test('a profile picture is cropped to a square, shown at once, and restored by undo after removal', async ({
  page,
  origin,
}) => {
  await page.goto('/settings')
  const menu = page.getByRole('button', { name: /^Account Ada/ })
  await expect(menu.locator('img')).toHaveCount(0)
  const text = { name: 'text.png', mimeType: 'image/png', buffer: Buffer.from('text') }
  await page.locator('input[type=file]').setInputFiles(text)
  await expect(page.getByRole('alert')).toContainText('not a picture')
  await page.locator('input[type=file]').setInputFiles({ name: 'wide.png', mimeType: 'image/png', buffer: WIDE })
  await expect(menu.locator('img')).toBeVisible()
  const image = await menu.locator('img').getAttribute('src')
  const answer = await page.request.get(origin + String(image))
  expect(answer.headers()['content-type']).toBe('image/webp')
  const size = await page.evaluate(async src => {
    const { width, height } = await createImageBitmap(await (await fetch(src)).blob())
    return [width, height]
  }, String(image))
  expect(size).toEqual([256, 256])

  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(menu.locator('img')).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(menu.locator('img')).toBeVisible()
})

test('an email address change can be cancelled, and takes effect after both addresses confirm it', async ({
  page,
  browser,
  origin,
  server,
}) => {
  await page.goto('/settings')
  const section = page.getByRole('region', { name: 'Email address' })
  await section.getByRole('button', { name: 'Change address…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New address').fill('ada@example.test')
  await dialog.getByRole('button', { name: 'Send the links' }).click()
  await expect(dialog.getByText('Choose another address.')).toBeVisible()
  await dialog.getByLabel('New address').fill('countess@example.test')
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Send the links' }).click()
  await expect(section.getByText('Waiting to change to countess@example.test')).toBeVisible()
  await expectNoViolations(page)
  await section.getByRole('button', { name: 'Cancel change' }).click()
  await section.getByRole('button', { name: 'Change address…' }).click()
  await dialog.getByLabel('New address').fill('countess@example.test')
  await dialog.getByRole('button', { name: 'Send the links' }).click()
  await expect(section.getByText('Waiting to change to countess@example.test')).toBeVisible()

  const elsewhere = await browser.newPage({ baseURL: origin })
  for (const email of ['countess@example.test', 'ada@example.test']) {
    await elsewhere.goto(newestMail(server.dataDir, email).link.href)
    await expectNoViolations(elsewhere)
    await elsewhere.getByRole('button', { name: /^Confirm/ }).click()
  }
  await expect(elsewhere.getByRole('heading', { name: 'Your address has changed' })).toBeVisible()
  await elsewhere.close()
  await page.reload()
  await expect(section.getByText('countess@example.test')).toBeVisible()
  await expect(section.getByText('Waiting to change')).toHaveCount(0)
})

test('the data export downloads a file with the person’s data and reports a failure', async ({ page, origin }) => {
  await runAction(page, origin, 'create-note', { title: 'Mine', text: 'Text' })
  await page.goto('/settings/data')
  await page.route('**/_fw/account/export', route => route.fulfill({ status: 503, body: 'busy' }))
  await page.getByRole('button', { name: 'Export data' }).click()
  await expect(page.getByText('Your data could not be exported.')).toBeVisible()
  await page.unroute('**/_fw/account/export')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Try again' }).click()
  const download = await saved
  expect(download.suggestedFilename()).toMatch(/^account-\d{4}-\d\d-\d\d\.json$/)
  const { rows } = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(rows.notes).toEqual([expect.objectContaining({ title: 'Mine' })])
  await expect(page.getByText(/Your data was saved as account-/)).toBeVisible()
})

test('an account is deleted after a review of the affected data, the typed address and the password', async ({
  page,
  origin,
  server,
}) => {
  for (const title of ['Mine', 'Also mine']) await runAction(page, origin, 'create-note', { title, text: 'Text' })
  // Their note in an organization with two other members, who can both take it over.
  const [me] = await query(server, 'select id from users where email = ?', [aPerson().email])
  for (const name of ['Ann', 'Ben'])
    await query(
      server,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`,
      [name, name, `${name.toLowerCase()}@harbour.example`],
    )
  await query(
    server,
    `insert into organizations (id, name, created_by, created_at) values ('harbour', 'Harbour', 'Ann', 0)`,
  )
  const members = { Ann: 'owner', Ben: 'member', [String(me?.id)]: 'member' }
  for (const [id, role] of Object.entries(members))
    await query(server, `insert into org_members (org_id, user_id, role, joined_at) values ('harbour', ?, ?, 0)`, [
      id,
      role,
    ])
  await query(server, `update notes set org_id = 'harbour' where title = 'Mine'`)
  // An older sign-in requires the password again.
  await query(server, 'update sessions set created_at = created_at - 960000')
  await page.goto('/settings/data')
  await page.getByRole('button', { name: 'Delete account…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('1 row in notes')).toBeVisible()
  await expect(dialog.getByText(/you are its only member/)).toBeVisible()
  await dialog.getByLabel('New owner of your data in Harbour').click()
  await page.getByRole('option', { name: /Ben/ }).click()
  await expect(dialog.getByText('Ben gets 1 row of yours there.')).toBeVisible()
  await expectNoViolations(page)
  const button = dialog.getByRole('button', { name: 'Delete my account' })
  await expect(button).toBeDisabled()
  await dialog.getByLabel(/^Type your address/).fill(aPerson().email)
  await dialog.getByLabel('Your password').fill('not my password')
  await button.click()
  await expect(dialog.getByText('This is not your password.')).toBeVisible()
  await dialog.getByLabel('Your password').fill(aPerson().password)
  await button.click()
  await page.waitForURL('**/sign-in?return=%2Fsettings%2Fdata')
  expect(await query(server, 'select id from users where email = ?', [aPerson().email])).toEqual([])
  expect(await query(server, 'select owner_email from notes')).toEqual([{ owner_email: 'ben@harbour.example' }])
})

test('the last owner of an organization with other members is told what to do before deleting the account', async ({
  page,
  server,
}) => {
  await page.goto('/settings')
  await expect(pageHeading(page)).toHaveText('Settings')
  await query(
    server,
    `insert into org_members (org_id, user_id, role, joined_at) select org_id, 'somebody', 'member', 0 from org_members`,
  )
  await page.goto('/settings/data')
  await page.getByRole('button', { name: 'Delete account…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Before you can delete your account')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Delete my account' })).toBeDisabled()
  await expectNoViolations(page)
  await dialog.getByRole('link', { name: 'Open your organization' }).click()
  await expect(pageHeading(page)).toHaveText('Team')
})
