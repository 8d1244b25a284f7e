import { expect, test } from '../support/e2e'
import { aPerson, runAction, signUp } from '../support/people'
import { addGrant, query } from '../support/query'

test('home shows the newest notes first and visible activity, without private data of other people', async ({
  page,
  origin,
  server,
  browser,
}) => {
  const maria = await browser.newPage({ baseURL: origin })
  await signUp(page, origin)
  await signUp(maria, origin, aPerson('Maria'))
  // The first request creates a person's organization.
  for (const each of [page, maria]) await each.request.get(`${origin}/_fw/session`)
  const [org] = await query(
    server,
    `select org_id from org_members m join users u on u.id = m.user_id where u.name = 'Ada'`,
  )
  await query(
    server,
    `update org_members set org_id = ?, role = 'member' where user_id = (select id from users where name = 'Maria')`,
    [String(org?.org_id)],
  )
  await runAction(page, origin, 'create-note', { title: 'Long ago', pinned: true })
  await runAction(page, origin, 'create-note', { title: 'Newest' })
  await runAction(maria, origin, 'create-note', { title: 'Weekly metrics' })
  await runAction(maria, origin, 'create-note', { title: 'My dismissal' })
  const [note] = await query(server, `select id from notes where title = 'Weekly metrics'`)
  await runAction(maria, origin, 'set-note-visibility', { id: note?.id, visibility: 'org' })

  await page.goto('/')
  const latest = page.getByRole('region', { name: 'Latest notes' }).getByRole('listitem')
  await expect(latest.nth(0)).toContainText('Weekly metrics')
  await expect(latest.nth(1)).toContainText('Newest')
  await expect(latest.nth(2)).toContainText('Pinned')
  const feed = page.getByRole('region', { name: 'Activity' })
  await expect(feed).toContainText('Maria made Weekly metrics visible to the organization')
  await expect(feed.getByRole('heading', { name: 'Today' })).toBeVisible()
  await expect(page.locator('main')).not.toContainText('dismissal')

  await page.getByRole('link', { name: 'New note' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('From home')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(feed).toContainText('Ada created From home')
  await maria.close()
})

test('getting-started steps complete automatically, can be dismissed and restored, and stay dismissed after a reload', async ({
  page,
  origin,
  server,
}) => {
  const ada = await signUp(page, origin)
  await page.goto('/')
  const steps = page.getByRole('region', { name: 'Get started' })
  await expect(steps).toContainText('0 of 3 done')
  await query(server, 'update users set email_verified = 1')
  await runAction(page, origin, 'invite-member', { email: 'grace@example.test' })
  await addGrant(server, { email: ada.email, clientName: 'Claude' })
  await page.reload()
  await expect(steps).toContainText('2 of 3 done')
  await steps.getByRole('button', { name: 'Dismiss' }).click()
  await expect(steps).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(steps).toBeVisible()
  await steps.getByRole('button', { name: 'Dismiss' }).click()
  await expect(steps).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('region', { name: 'Activity' })).toBeVisible()
  await expect(steps).toHaveCount(0)
})

test('home asks to confirm the address, and invitations appear only in the banner', async ({
  page,
  origin,
  server,
  browser,
}) => {
  const owner = await browser.newPage({ baseURL: origin })
  await signUp(owner, origin, aPerson('Olga'))
  const ada = await signUp(page, origin)
  await query(server, `update users set email_verified = 1 where name = 'Olga'`)
  await page.goto('/')
  const waiting = page.getByRole('region', { name: 'Needs your attention' })
  await waiting.getByRole('button', { name: 'Send a new link' }).click()
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText(`on its way to ${ada.email}`)

  await query(server, 'update users set email_verified = 1')
  await runAction(owner, origin, 'invite-member', { email: ada.email })
  await page.reload()
  const banner = page.getByRole('region', { name: 'Waiting for you' })
  await expect(banner).toContainText('Olga')
  await expect(page.getByRole('main')).not.toContainText('Olga')
  await expect(waiting).toHaveCount(0)
  await banner.getByRole('button', { name: /^Decline/ }).click()
  await expect(banner).toHaveCount(0)
  await owner.close()
})
