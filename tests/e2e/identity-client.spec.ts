import { expect, oncePerFile, test as base } from '../support/e2e'
import { startHub, type TestHub } from '../support/hub'
import { signUpByForm } from '../support/people'
import { A2A_SECRET } from '../support/secrets'

/** A server whose people sign in through a hub on another site. */
const test = base.extend<object, { hub: TestHub }>({
  hub: oncePerFile(startHub),
  serverEnv: async ({ hub }, use) => {
    hub.breakDown(undefined)
    await use({ FW_IDENTITY_HUB_URL: hub.origin, A2A_SECRET })
  },
})

const button = (hub: TestHub) => ({ name: `Continue with ${new URL(hub.origin).host}` })

test('a person signs in through the hub, reaches the requested page, and sees the sign-in among their devices', async ({
  page,
  hub,
}) => {
  hub.signIn({ email: 'ada@example.test' })
  await page.goto('/notes')
  await page.waitForURL('**/sign-in?return=%2Fnotes')
  await page.getByRole('button', button(hub)).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/notes')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes')
  const cookies = await page.context().cookies()
  expect(cookies.filter(({ name }) => name.includes('identity'))).toEqual([])
  await page.goto('/settings/security#devices')
  await expect(page.getByText('Through the identity hub')).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the hub button signs in and returns to the requested page', async ({ page, hub, origin }) => {
    hub.signIn({ email: 'ada@example.test' })
    await page.goto('/sign-in?return=%2Fteam%3Fa%3D1')
    await page.getByRole('button', button(hub)).click()
    await page.waitForURL(`${origin}/team?a=1`)
    const { session } = await (await page.request.get('/_fw/session')).json()
    expect(session).toMatchObject({ email: 'ada@example.test', provider: 'hub' })
  })
})

test('two tabs that sign in at once both reach their requested pages', async ({ page, hub, context }) => {
  hub.signIn({ email: 'ada@example.test' })
  const other = await context.newPage()
  await Promise.all([page.goto('/sign-in?return=/notes&again=1'), other.goto('/sign-in?return=/team&again=1')])
  await Promise.all([page, other].map(tab => tab.getByRole('button', button(hub)).click()))
  await Promise.all([page.waitForURL('**/notes'), other.waitForURL('**/team')])
})

test('an unavailable hub shows a message, and the local sign-in leads to the same page', async ({ page, hub }) => {
  hub.signIn({ email: 'ada@example.test' })
  hub.breakDown(async () => new Response('down', { status: 500 }))
  await page.goto('/sign-in?return=%2Fnotes')
  await page.getByRole('button', button(hub)).click()
  await page.waitForURL('**/sign-in?error=provider-unavailable&return=%2Fnotes')
  await expect(page.getByRole('alert')).toContainText('The provider is not responding')
  await signUpByForm(page)
  await page.waitForURL(/\/notes(#.*)?$/)
})
