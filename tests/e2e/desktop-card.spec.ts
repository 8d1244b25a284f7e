import type { Page, Response } from '@playwright/test'
import type { DesktopStatus } from '#fairway/shared/schemas/desktop'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { aStatus, provideDesktop } from '../support/desktop-bridge'
import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'

const app = (
  id: string,
  status: DesktopStatus['apps'][number]['status'],
  reason: DesktopStatus['apps'][number]['reason'] = null,
) => ({ id, name: `The ${id} application`, status, reason })

const signedIn = aStatus({
  state: 'signed-in',
  email: 'ada@example.test',
  apps: [app('mail', 'signed-in'), app('docs', 'signed-in'), app('old', 'not-eligible', 'not-opted-in')],
})
const incomplete = aStatus({
  state: 'incomplete',
  email: 'ada@example.test',
  apps: [app('mail', 'signed-in'), app('docs', 'failed', 'other-account'), app('old', 'failed', 'unreachable')],
})

const card = (page: Page) => page.getByRole('region', { name: 'Workspace on this computer' })
const button = (page: Page, name: string) => card(page).getByRole('button', { name, exact: true })

async function open(page: Page, origin: string, status: unknown) {
  const desktop = await provideDesktop(page, status)
  await signUp(page, origin)
  await page.goto('/settings/desktop')
  await expect(pageHeading(page)).toHaveText('Desktop')
  return desktop
}

async function scriptsOf(page: Page, work: () => Promise<unknown>): Promise<string[]> {
  const scripts: Response[] = []
  const listen = (response: Response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) scripts.push(response)
  }
  page.on('response', listen)
  await work()
  await page.waitForLoadState('networkidle')
  page.off('response', listen)
  return Promise.all(scripts.map(script => script.text()))
}

test('the workspace card is neither shown nor loaded in a browser', async ({ page, origin }) => {
  await signUp(page, origin)
  const scripts = await scriptsOf(page, () => page.goto('/settings'))
  await expect(pageHeading(page)).toHaveText('Profile')
  await page.keyboard.press('Tab')
  await expect(page.getByText('Connected apps').first()).toBeAttached()
  await expect(card(page)).toHaveCount(0)
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter(script => script.includes('get-status'))).toEqual([])
})

test('the workspace card is loaded but hidden when desktop sign-in is unavailable or its status is invalid', async ({
  page,
  origin,
}) => {
  const scripts = await scriptsOf(page, () => open(page, origin, aStatus({ isAvailable: false })))
  expect(scripts.filter(script => script.includes('get-status'))).toHaveLength(1)
  await expect(card(page)).toHaveCount(0)
  await expect(page.getByText('Workspace sign-in is not set up on this computer')).toBeVisible()
  for (const wrong of [null, 'signed-in', { state: 'signed-in' }, { ...signedIn, token: 'x' }]) {
    await provideDesktop(page, wrong)
    await page.reload()
    await expect(pageHeading(page)).toHaveText('Desktop')
    await page.waitForLoadState('networkidle')
    await expect(card(page)).toHaveCount(0)
  }
})

test('the workspace card signs in and shows the progress', async ({ page, origin }) => {
  const desktop = await open(page, origin, aStatus())
  await expect(card(page).getByRole('status')).toHaveText('You are not signed in to the workspace on this computer.')
  await expect(button(page, 'Sign out everywhere')).toHaveCount(0)
  await desktop.hold()
  await button(page, 'Sign in to the workspace').click()
  await expect(button(page, 'Sign in to the workspace')).toBeDisabled()
  const apps = [app('mail', 'signed-in'), app('docs', 'working'), app('old', 'not-eligible', 'not-opted-in')]
  await desktop.push(aStatus({ state: 'signing-in', email: 'ada@example.test', apps }))
  await expect(card(page).getByRole('status')).toContainText('Signing in to your applications.')
  await expect(card(page).getByRole('status')).toContainText('1 of 2 applications are signed in.')
  const rows = card(page).getByRole('list', { name: 'Applications of the workspace' }).getByRole('listitem')
  await expect(rows).toHaveText([
    /mail.*Signed in/,
    /docs.*Signing in/,
    /old.*doesn’t use workspace sign-in.*Separate sign-in/,
  ])
  await desktop.push(signedIn)
  await desktop.release()
  await expect(card(page).getByRole('status')).toContainText('You are signed in to every application.')
  await expect(card(page).getByRole('status')).toContainText('Account: ada@example.test')
  await expect(button(page, 'Sign in to the workspace')).toHaveCount(0)
  expect(await desktop.sent()).toEqual([{ type: 'get-status' }, { type: 'sign-in' }])
})

test('the workspace card names failed applications with the reason and retries them', async ({ page, origin }) => {
  const desktop = await open(page, origin, incomplete)
  await expect(card(page).getByRole('status')).toContainText('You are signed in, but not to every application.')
  await expect(card(page).getByRole('listitem').nth(1)).toContainText('It returned another account')
  await expect(card(page).getByRole('listitem').nth(2)).toContainText('It cannot be reached.')
  await desktop.push(incomplete)
  await desktop.answerWith({ ok: true, status: signedIn })
  await button(page, 'Retry failed sign-ins').click()
  await expect(card(page).getByRole('status')).toContainText('You are signed in to every application.')
  await expect(card(page).getByRole('status')).toBeFocused()
  expect(await desktop.sent()).toEqual([{ type: 'get-status' }, { type: 'retry' }])
})

test('the workspace card confirms before signing out everywhere and states what will be signed out', async ({
  page,
  origin,
}) => {
  const desktop = await open(page, origin, signedIn)
  const confirm = button(page, 'Sign out of the hub and 2 apps')
  await button(page, 'Sign out everywhere').click()
  await expect(confirm).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(confirm).toHaveCount(0)
  expect(await desktop.sent()).toEqual([{ type: 'get-status' }])
  await button(page, 'Sign out everywhere').click()
  await desktop.answerWith({ ok: true, status: aStatus() })
  await confirm.click()
  await expect(card(page).getByRole('status')).toContainText('You are not signed in to the workspace')
  expect(await desktop.sent()).toEqual([{ type: 'get-status' }, { type: 'sign-out' }])
})

test('the workspace card turns desktop sign-in off when the person opts out on this computer', async ({
  page,
  origin,
}) => {
  const desktop = await open(page, origin, aStatus())
  await expect(page.getByRole('switch', { name: 'Sign me in to workspace apps' })).toBeChecked()
  await desktop.answerWith({ ok: true, status: aStatus({ isEnabled: false }) })
  await page.getByRole('switch', { name: 'Sign me in to workspace apps' }).click()
  await expect(page.getByRole('switch', { name: 'Sign me in to workspace apps' })).not.toBeChecked()
  await expect(card(page).getByRole('status')).toHaveText(/is turned off on this computer/)
  await expect(button(page, 'Sign in to the workspace')).toHaveCount(0)
  expect(await desktop.sent()).toEqual([{ type: 'get-status' }, { type: 'set-enabled', isEnabled: false }])
})

test('the workspace card explains why a command failed and rejects unknown answers', async ({ page, origin }) => {
  const desktop = await open(page, origin, aStatus())
  const answers: [unknown, RegExp][] = [
    [{ ok: false, code: 'busy' }, /Another action is in progress/],
    [{ ok: false, code: 'switched-off' }, /is turned off at the hub/],
    [{ ok: false, code: 'failed' }, /could not complete this/],
    [{ ok: false, code: 'unknown-command' }, /support this yet/],
    [{ ok: false, code: 'something-new' }, /unexpected response/],
    [{ ok: true, status: { ...signedIn, cookie: 'a=b' } }, /unexpected response/],
    ['signed in', /unexpected response/],
  ]
  for (const [answer, text] of answers) {
    await desktop.answerWith(answer)
    await button(page, 'Sign in to the workspace').click()
    await expect(card(page).getByRole('alert')).toHaveText(text)
    await expect(card(page).getByRole('status')).toContainText('You are not signed in')
  }
  await desktop.push({ ...signedIn, accessToken: 'x' })
  await expect(card(page).getByRole('status')).toContainText('You are not signed in')
  await desktop.answerWith({ ok: true, status: signedIn })
  await button(page, 'Sign in to the workspace').click()
  await expect(card(page).getByRole('alert')).toHaveCount(0)
})

test('the workspace card says in words why a sign-in is required or has failed, and offers to sign in', async ({
  page,
  origin,
}) => {
  const desktop = await open(page, origin, aStatus())
  const words: [Partial<DesktopStatus>, RegExp][] = [
    [{ state: 'sign-in-required' }, /Your sign-in has ended. Sign in again./],
    [{ state: 'failed', reason: 'cancelled' }, /Sign-in failed.\s*You closed the window before sign-in finished./],
    [{ state: 'failed', reason: 'timed-out' }, /It took too long./],
  ]
  for (const [status, text] of words) {
    await desktop.push(aStatus(status))
    await expect(card(page).getByRole('status')).toHaveText(text)
    await expect(button(page, 'Sign in to the workspace')).toBeEnabled()
  }
})

test('the workspace card works with the keyboard alone', async ({ page, origin }) => {
  const desktop = await open(page, origin, incomplete)
  await button(page, 'Retry failed sign-ins').focus()
  await page.keyboard.press('Tab')
  await expect(button(page, 'Sign out everywhere')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('switch')).toBeFocused()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect.poll(() => desktop.sent()).toContainEqual({ type: 'sign-out' })
  expect(await desktop.sent()).toContainEqual({ type: 'set-enabled', isEnabled: false })
})

test('the workspace card fits every width and has no accessibility violation', async ({ page, origin }) => {
  const long = aStatus({ ...incomplete, email: `${'long'.repeat(14)}@example.test`, reason: 'clean-up-failed' })
  const desktop = await open(page, origin, long)
  await desktop.answerWith({ ok: false, code: 'busy' })
  await button(page, 'Retry failed sign-ins').click()
  await expect(card(page).getByRole('alert')).toBeVisible()
  await button(page, 'Sign out everywhere').click()
  for (const width of [1280, 375, 320]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await expectNoViolationsInBothColours(page)
  }
})
