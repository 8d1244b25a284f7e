import type { Page } from '@playwright/test'
import { expectNothingCutOff, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { peerToken } from '../support/hub'
import { askToDelete } from '../support/deleting-host'
import { aPerson, browserOf, runAction, signUp } from '../support/people'
import { confirmAddress, query } from '../support/query'
import { A2A_SECRET } from '../support/secrets'
import type { TestServer } from '../support/server'

const MAIL = 'https://mail.example.test'

test.use({
  serverEnv: { A2A_SECRET, FW_PEERS: JSON.stringify({ mail: MAIL }) },
  javaScriptEnabled: false,
  viewport: { width: 375, height: 700 },
})

/** Returns the page that asks this browser's person to approve the deletion of a note. */
async function aQuestion(page: Page, server: TestServer): Promise<string> {
  const { email } = await signUp(page, server.origin, aPerson())
  await confirmAddress(server, email)
  await runAction(page, server.origin, 'create-note', { title: 'Last year' })
  const [note] = await query(server, 'select id from notes')
  const token = await peerToken({ audience: server.origin, issuer: MAIL, subject: email })
  const answer = await fetch(`${server.origin}/_fw/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ action: 'delete-note', input: { id: note?.id } }),
  })
  return (await answer.json()).approval.url
}

test('a person approves a request of another application, with the keyboard and without JavaScript', async ({
  page,
  server,
}) => {
  const url = await aQuestion(page, server)
  await page.context().clearCookies()
  await page.goto(url)
  await page.getByRole('link', { name: 'Go to the sign-in page' }).click()
  const { email, password } = aPerson()
  const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Sign in', exact: true }) })
  await form.getByLabel('Email').fill(email)
  await form.getByLabel('Password', { exact: true }).fill(password)
  await form.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(url.replace('/_fw/a2a/', '/'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete the note “Last year”?')
  await expect(page.getByText('mail (mail.example.test) wants to act on your behalf')).toBeVisible()
  for (const name of ['Decline', 'Approve']) {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name })).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Done')
  expect(await query(server, 'select id from notes')).toEqual([])
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Done')
})

test.describe('with JavaScript', () => {
  test.use({ javaScriptEnabled: true })

  test('every approval page fits a narrow screen and has no accessibility violation', async ({ page, server }) => {
    const url = await aQuestion(page, server)
    const look = async () => {
      await expectNothingCutOff(page)
      await expectNoViolationsInBothColours(page)
    }
    await page.goto(`${new URL(url).origin}/approvals/nothing`)
    await look()
    await page.goto(url)
    await look()
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Done')
    await look()
    await page.context().clearCookies()
    await page.reload()
    await look()
  })

  test('the page of a host fits, and its call runs when the person ticks that', async ({ page, server }) => {
    await signUp(page, server.origin, aPerson())
    const { path } = await askToDelete(await browserOf(page, server.origin), server.origin)
    await page.goto(server.origin + path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete the note “Old plans”?')
    await expectNothingCutOff(page)
    await expectNoViolationsInBothColours(page)
    await page.getByRole('checkbox', { name: /Run it now/ }).focus()
    await page.keyboard.press('Space')
    for (const name of ['Decline', 'Approve']) {
      await page.keyboard.press('Tab')
      await expect(page.getByRole('button', { name })).toBeFocused()
    }
    await page.keyboard.press('Enter')
    await expect(page.getByText('The action has run.')).toBeVisible()
    await expectNoViolationsInBothColours(page)
    expect(await query(server, 'select id from notes')).toEqual([])
  })
})
