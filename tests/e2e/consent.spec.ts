import type { Page } from '@playwright/test'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { AUTHORIZE, authorizeQuery, registeredClient, startLoopbackHost } from '../support/oauth-host'
import { expect, test as base } from '../support/e2e'
import { aPerson, signUp } from '../support/people'

interface Fixtures {
  host: Awaited<ReturnType<typeof startLoopbackHost>>
  /** The address at which the host requests a connection, with changed parameters. */
  ask: (differing?: Record<string, string>) => Promise<string>
}

const test = base.extend<Fixtures>({
  // Playwright reads the names of the required fixtures here, and this one requires none.
  // oxlint-disable-next-line no-empty-pattern
  async host({}, use) {
    const host = await startLoopbackHost()
    await use(host)
    await host.stop()
  },
  async ask({ origin, host }, use) {
    // Registered without a port, as command-line hosts do.
    const client = await registeredClient(origin, {
      client_name: 'Terminal host',
      redirect_uris: ['http://127.0.0.1/callback', 'cursor://host/callback'],
    })
    await use(
      async differing => origin + AUTHORIZE + authorizeQuery(client, { redirect_uri: host.redirectUri, ...differing }),
    )
  },
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

test('a person signs in and allows access, and the host exchanges its code for tokens', async ({
  page,
  origin,
  host,
  ask,
}) => {
  const person = aPerson()
  await signUp(page, origin, person)
  await page.context().clearCookies()
  const verifier = createCodeVerifier()
  const url = await ask({ code_challenge: toCodeChallenge(verifier), scope: 'mcp:read mcp:write offline_access' })
  await page.goto(url)
  await page.waitForURL('**/sign-in?return=**')
  await signInOn(page, person)
  await expect(heading(page)).toHaveText('Connect Terminal host?')
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(page.getByText('an app on this computer')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Keep this app connected' })).toBeChecked()
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Allow Terminal host' }).click()
  await expect(heading(page)).toHaveText('Back in the host')
  expect(host.last().iss).toBe(origin)
  expect(await exchange(url, host.last().code, verifier)).toMatchObject({ refresh_token: expect.any(String) })
  await page.goBack()
  await expect(heading(page)).toHaveText('Connect Terminal host?')
})

test('denying access returns access_denied to the host', async ({ page, origin, host, ask }) => {
  await signUp(page, origin)
  await page.goto(await ask())
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(heading(page)).toHaveText('Back in the host')
  expect(host.last()).toMatchObject({ error: 'access_denied', state: 'a state & more=1' })
})

test('a person in two organizations chooses one and removes a scope', async ({ page, origin, host, ask }) => {
  await signUp(page, origin)
  const made = await page.request.post(`${origin}/_fw/org`, {
    data: { name: 'Second works', confirm: true },
    headers: { origin },
  })
  expect(made.ok()).toBe(true)
  const verifier = createCodeVerifier()
  const url = await ask({ code_challenge: toCodeChallenge(verifier) })
  await page.goto(url)
  await expect(page.getByRole('combobox', { name: 'Organization' })).toContainText('Second works')
  await page.getByRole('combobox', { name: 'Organization' }).selectOption({ index: 1 })
  await page.getByRole('checkbox', { name: 'Create and edit' }).uncheck()
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Allow Terminal host' }).click()
  await expect(heading(page)).toHaveText('Back in the host')
  const tokens = await exchange(url, host.last().code, verifier)
  expect(tokens.scope).toBe('mcp:read')
  const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString())
  expect(claims.org_id).not.toBe((await made.json()).id)
})

test('the consent page works without JavaScript', async ({ browser, origin, host, ask }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: origin })
  const page = await context.newPage()
  const person = aPerson('Grace')
  await signUp(page, origin, person)
  await page.goto(await ask())
  await page.getByText('Keep this app connected').click()
  await page.getByRole('button', { name: 'Allow Terminal host' }).click()
  await expect(heading(page)).toHaveText('Back in the host')
  expect(host.last().code).toMatch(/^[\w-]{43}$/)
  await context.close()
})

test('the consent page works with the keyboard alone', async ({ page, origin, host, ask }) => {
  await signUp(page, origin)
  await page.goto(await ask())
  const tab = () => page.keyboard.press('Tab')
  await tab()
  await expect(page.getByRole('link', { name: 'Use another account' })).toBeFocused()
  await tab()
  const write = page.getByRole('checkbox', { name: 'Create and edit' })
  await expect(write).toBeFocused()
  await page.keyboard.press('Space')
  await expect(write).not.toBeChecked()
  await tab()
  await expect(page.getByRole('checkbox', { name: 'Keep this app connected' })).toBeFocused()
  await tab()
  await expect(page.getByRole('button', { name: 'Allow Terminal host' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Back in the host')
  expect(host.last().code).toMatch(/^[\w-]{43}$/)
})

test('a person can switch to another account, and prompt=login asks to sign in once', async ({
  page,
  origin,
  host,
  ask,
}) => {
  const grace = aPerson('Grace')
  await signUp(page, origin, grace)
  await page.context().clearCookies()
  await signUp(page, origin, aPerson())
  await page.goto(await ask())
  await page.getByRole('link', { name: 'Use another account' }).click()
  await expect(heading(page)).toHaveText('Sign in')
  // The page would redirect at this point if it used the existing session.
  await page.waitForLoadState('networkidle')
  await signInOn(page, grace)
  await expect(heading(page)).toHaveText('Connect Terminal host?')
  await expect(page.getByText(grace.email)).toBeVisible()
  await page.goto(await ask({ prompt: 'login' }))
  await expect(heading(page)).toHaveText('Sign in')
  await page.waitForLoadState('networkidle')
  await signInOn(page, grace)
  await expect(heading(page)).toHaveText('Connect Terminal host?')
  await page.getByRole('button', { name: 'Allow Terminal host' }).click()
  await expect(heading(page)).toHaveText('Back in the host')
  expect(host.last().code).toMatch(/^[\w-]{43}$/)
})

test('an app with a custom URL scheme is opened through a link', async ({ page, origin, ask }) => {
  await signUp(page, origin)
  await page.goto(await ask({ redirect_uri: 'cursor://host/callback' }))
  await page.getByRole('button', { name: 'Allow Terminal host' }).click()
  await expect(heading(page)).toHaveText('The app is connected')
  await expectNoViolations(page)
  await expect(page.getByRole('link', { name: 'Open Terminal host' })).toHaveAttribute(
    'href',
    /^cursor:\/\/host\/callback\?code=[\w-]{43}&state=/,
  )
})

test('an unregistered redirect URI shows an error page', async ({ page, origin, ask }) => {
  await signUp(page, origin)
  await page.goto(await ask({ redirect_uri: 'https://evil.example/' }))
  await expect(heading(page)).toHaveText('This app cannot be connected')
  await expectNoViolations(page)
})

test.describe('in Arabic', () => {
  test.use({ locale: 'ar-EG' })

  test('the page is right-to-left, and deleting has a separate checkbox', async ({ page, origin, host, ask }) => {
    await signUp(page, origin)
    await page.goto(await ask())
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
    await expect(heading(page)).toHaveText('هل تريد ربط Terminal host؟')
    await expectNoViolationsInBothColours(page)
    await page.getByRole('checkbox', { name: 'الإنشاء والتعديل' }).uncheck()
    await expect(page.getByRole('checkbox', { name: 'الحذف' })).toBeHidden()
    await page.getByRole('checkbox', { name: 'الإنشاء والتعديل' }).check()
    await expect(page.getByRole('checkbox', { name: 'الحذف' })).not.toBeChecked()
    await page.getByRole('button', { name: 'السماح لـ Terminal host' }).click()
    await expect(heading(page)).toHaveText('Back in the host')
    expect(host.last().code).toMatch(/^[\w-]{43}$/)
  })
})

test.describe('on a narrow screen in dark mode', () => {
  test.use({ viewport: { width: 375, height: 800 }, colorScheme: 'dark' })

  test('the page fits and has no accessibility violation', async ({ page, origin, ask }) => {
    await signUp(page, origin)
    await page.goto(await ask({ scope: 'mcp:read mcp:write mcp:apps offline_access' }))
    await expect(heading(page)).toHaveText('Connect Terminal host?')
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await expectNoViolations(page)
  })
})

/** Exchanges the host's code for the request at this address. */
async function exchange(url: string, code = '', verifier = '') {
  const asked = new URL(url).searchParams
  const answer = await fetch(`${new URL(url).origin}/mcp/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: asked.get('client_id') ?? '',
      code,
      redirect_uri: asked.get('redirect_uri') ?? '',
      code_verifier: verifier,
    }),
  })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function signInOn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByRole('textbox', { name: 'Email address' }).locator('visible=true').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).locator('visible=true').fill(password)
  await page.locator('button[value="sign-in"]').click()
}
