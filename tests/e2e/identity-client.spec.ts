import { expect, oncePerFile, test as base } from '../support/e2e'
import { startHub, type TestHub } from '../support/hub'
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

test('two tabs that sign in at once both reach their requested pages', async ({ page, hub, context }) => {
  hub.signIn({ email: 'ada@example.test' })
  const other = await context.newPage()
  await Promise.all([page.goto('/sign-in?return=/notes&again=1'), other.goto('/sign-in?return=/team&again=1')])
  await Promise.all([page, other].map(tab => tab.getByRole('button', button(hub)).click()))
  await Promise.all([page.waitForURL('**/notes'), other.waitForURL('**/team')])
})
