import type { Page } from '@playwright/test'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { expectNothingCutOff, expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
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

test('a person signs in, can switch to another account and allows access, and the host exchanges its code for tokens', async ({
  page,
  origin,
  host,
  ask,
}) => {
  const [ada, grace] = [aPerson(), aPerson('Grace')]
  for (const each of [ada, grace]) await signUp(page, origin, each)
  await page.context().clearCookies()
  const verifier = createCodeVerifier()
  const url = await ask({ code_challenge: toCodeChallenge(verifier), scope: 'mcp:read mcp:write offline_access' })
  await page.goto(url)
  await page.waitForURL('**/sign-in?return=**')
  await signInOn(page, ada)
  await expect(heading(page)).toHaveText('Connect Terminal host?')
  await expect(page.getByText(ada.email)).toBeVisible()
  await expect(page.getByText('an app on this computer')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Keep this app connected' })).toBeChecked()
  await expectNoViolations(page)

  await page.getByRole('link', { name: 'Use another account' }).click()
  await expect(heading(page)).toHaveText('Sign in')
  // The page would redirect at this point if it used the existing session.
  await page.waitForLoadState('networkidle')
  await signInOn(page, grace)
  await expect(heading(page)).toHaveText('Connect Terminal host?')
  await expect(page.getByText(grace.email)).toBeVisible()
  await page.getByRole('button', { name: 'Allow Terminal host' }).click()
  await expect(heading(page)).toHaveText('Back in the host')
  expect(host.last().iss).toBe(origin)
  expect(await exchange(url, host.last().code, verifier)).toMatchObject({ refresh_token: expect.any(String) })
  await page.goBack()
  await expect(heading(page)).toHaveText('Connect Terminal host?')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the consent page works with the keyboard alone', async ({ page, origin, host, ask }) => {
    await signUp(page, origin)
    await page.goto(await ask())
    const tab = () => page.keyboard.press('Tab')
    await tab()
    await expect(page.getByRole('link', { name: 'Use another account' })).toBeFocused()
    await tab()
    const write = page.getByRole('checkbox', { name: 'Create and edit' })
    await expect(write).toBeFocused()
    await expect(page.getByRole('checkbox', { name: 'Delete' })).not.toBeChecked()
    await page.keyboard.press('Space')
    await expect(write).not.toBeChecked()
    await expect(page.getByRole('checkbox', { name: 'Delete' })).toBeHidden()
    await tab()
    await expect(page.getByRole('checkbox', { name: 'Keep this app connected' })).toBeFocused()
    await tab()
    await expect(page.getByRole('button', { name: 'Allow Terminal host' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('Back in the host')
    expect(host.last().code).toMatch(/^[\w-]{43}$/)
  })
})

test.describe('in Arabic on a narrow screen', () => {
  test.use({ locale: 'ar-EG', viewport: { width: 375, height: 800 } })

  test('consent pages are right-to-left, fit and have no accessibility violation', async ({ page, origin, ask }) => {
    const expectGood = async () => {
      await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
      await expectNothingCutOff(page)
      await expectNoViolationsInBothColours(page)
    }
    await signUp(page, origin)
    await page.request.post('/_fw/org', { data: { name: 'Second works', confirm: true }, headers: { origin } })
    await page.goto(await ask({ redirect_uri: 'https://evil.example/' }))
    await expectGood()
    await page.goto(
      await ask({ redirect_uri: 'cursor://host/callback', scope: 'mcp:read mcp:write mcp:apps offline_access' }),
    )
    await expect(heading(page)).toHaveText('هل تريد ربط Terminal host؟')
    await expect(page.getByRole('combobox')).toContainText('Second works')
    await expectGood()
    await page.getByRole('button', { name: 'السماح لـ Terminal host' }).click()
    await expect(page.getByRole('link', { name: /Terminal host/ })).toHaveAttribute('href', /^cursor:/)
    await expectGood()
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
