import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'

test.use({ viewport: { width: 320, height: 800 } })

const LONG_EMAIL = `${'somebody.with.a.long.name.'.repeat(2)}too@example.test`
const PATHS = [
  '/',
  '/notes',
  '/settings',
  '/settings/security',
  '/settings/apps',
  '/team',
  '/team/invitations',
  '/invitation?id=unknown&token=unknown',
  '/connect#claude-code',
  '/connect#chatgpt',
  '/connect#vscode',
  '/connections',
  '/audit',
  '/about',
  '/no/such/page',
]

test('no page is wider than a 320 px screen', async ({ page, origin }) => {
  const isNarrow = async (path: string) => {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect([path, wider]).toEqual([path, 0])
  }
  // This page forwards people who are signed in.
  await isNarrow('/sign-in')
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', {
    title: 'A title that is much longer than a narrow screen is wide',
    text: 'word '.repeat(60),
  })
  await runAction(page, origin, 'invite-member', { email: LONG_EMAIL, role: 'member' })
  for (const path of PATHS) await isNarrow(path)
})
