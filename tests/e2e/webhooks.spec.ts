import { expectNoViolations } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { runAction, signUp } from '../support/people'
import { confirmAddress } from '../support/query'
import { type Receiver, startReceiver } from '../support/webhook-receiver'

const PATH = `/hook/${'x'.repeat(200)}`

/** A server that can send webhooks to a receiver on this machine. */
const test = base.extend<object, { receiver: Receiver }>({
  receiver: oncePerFile(() => startReceiver()),
  serverEnv: async ({ receiver }, use) =>
    use({ FW_WEBHOOK_ORIGINS: receiver.origin, FW_OPERATORS: 'ada@example.test' }),
})

test('a webhook is added, fails, recovers and resends its events', async ({ page, origin, server, receiver }) => {
  const { email } = await signUp(page, origin)
  await confirmAddress(server, email)
  await page.goto('/team/webhooks')
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()

  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = page.getByRole('dialog', { name: 'Add a webhook' })
  await form.getByLabel('URL').fill('http://example.com/hook')
  await form.getByRole('button', { name: 'Add webhook' }).click()
  await expect(form.getByText('Use an https address without a port.')).toBeVisible()
  await expectNoViolations(page)
  await form.getByLabel('URL').fill(receiver.origin + PATH)
  await form.getByLabel('Name').fill('Billing')
  await form.getByRole('radio', { name: 'Selected events' }).check()
  await form.getByRole('button', { name: 'Choose event types' }).click()
  await page.getByRole('option', { name: 'audit.create-note' }).click()
  await page.keyboard.press('Escape')
  await form.getByRole('button', { name: 'Add webhook' }).click()

  const secret = page.getByRole('dialog', { name: 'Webhook secret' })
  await expect(secret.getByText(/^whsec_/)).toBeVisible()
  await expectNoViolations(page)
  await secret.getByRole('button', { name: 'I have saved it' }).click()
  const row = page.getByRole('row', { name: /Billing 1 event type Active Never/ })
  await expect(row).toBeVisible()
  const more = page.getByRole('button', { name: 'Actions for Billing' })
  await more.click()
  await expectNoViolations(page)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 375, height: 800 })
  await expect(more).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1280, height: 720 })

  receiver.answer = { status: 503, text: 'out of order' }
  await runAction(page, origin, 'create-note', { title: 'Told' })
  await expect.poll(() => receiver.typesAt(PATH)).toEqual(['audit.create-note'])
  await page.reload()
  await page.getByRole('row', { name: /Billing .* Failing/ }).click()
  const details = page.getByRole('dialog', { name: 'Billing' })
  await expect(details.getByRole('term')).toContainText([
    'URL',
    'Events',
    'State',
    'Failing since',
    'Waiting',
    'Failed',
  ])
  await expectNoViolations(page)
  await details.getByRole('button', { name: 'Deliveries' }).click()
  const deliveries = page.getByRole('dialog', { name: 'Deliveries to Billing' })
  await expect(deliveries.getByText(/Status 503/)).toBeVisible()
  await expectNoViolations(page)
  const open = deliveries.getByRole('button', { name: 'Show details: audit.create-note' })
  await open.press('Enter')
  const panel = page.getByRole('dialog', { name: 'audit.create-note' })
  await expect(panel.getByRole('region', { name: 'Answer body' })).toContainText('out of order')
  await expect(panel.getByRole('region', { name: 'Payload' })).toContainText('"type": "audit.create-note"')
  await expect(panel.getByRole('button', { name: 'Copy the payload' })).toBeVisible()
  await expect(panel.getByRole('term')).toContainText(['State', 'Event', 'Attempts', 'Answer status', 'Message ID'])
  await expectNoViolations(page)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(deliveries).toBeVisible()
  await expect(open).toBeFocused()

  receiver.answer = { status: 200 }
  await deliveries.getByRole('button', { name: 'Actions for audit.create-note' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Resend' }).press('Enter')
  await expect(page.getByText('The event was queued again.').first()).toBeVisible()
  await expect.poll(() => receiver.at(PATH).length).toBeGreaterThan(1)
  await expect(async () => {
    await deliveries.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Accepted' }).click()
    await expect(deliveries.getByText(/Status 200/)).toBeVisible({ timeout: 500 })
  }).toPass()

  await deliveries.getByLabel('Since', { exact: true }).fill('2020-01-01T00:00')
  await deliveries.getByRole('button', { name: 'Count' }).click()
  await expect(deliveries.getByText('Choose a time in the past 30 days.')).toBeVisible()
  const hourAgo = new Date(Date.now() - 3_600_000)
  const local = new Date(hourAgo.getTime() - hourAgo.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  await deliveries.getByLabel('Since', { exact: true }).fill(local)
  await deliveries.getByRole('radio', { name: 'All', exact: true }).check()
  await deliveries.getByRole('button', { name: 'Count' }).click()
  await expect(deliveries.getByText('1 event will be resent.')).toBeVisible()
  const before = receiver.at(PATH).length
  await deliveries.getByRole('button', { name: 'Resend', exact: true }).click()
  await expect.poll(() => receiver.at(PATH).length).toBe(before + 1)
})
