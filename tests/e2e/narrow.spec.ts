import { expectNothingCutOff } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { moveTo, runAction, signUp } from '../support/people'

const LONG_EMAIL = `${'somebody.with.a.long.name.'.repeat(2)}too@example.test`
const SETTINGS = ['', '/security', '/apps', '/appearance', '/data'].map(path => `/settings${path}`)
const SECTIONS = ['roles', 'sign-in', 'vault', 'apps', 'webhooks', 'general', 'danger'].map(path => `/team/${path}`)
/** Pages of the application. The page of an address that is not there comes last, because no link leads away from it. */
const PATHS = [
  '/',
  '/notes',
  '/notes?view=archived',
  '/notes/new',
  '/notes/nowhere',
  ...SETTINGS,
  '/team',
  '/team/invitations',
  ...SECTIONS,
  '/connections',
  '/audit',
  '/tools',
  '/tools/delete-note',
  '/invitation?id=unknown&token=unknown',
  '/connect#claude-code',
  '/connect#chatgpt',
  '/connect#vscode',
  '/about',
  '/embed/notes',
  '/no/such/page',
]
// WCAG 2.2, 1.4.10 and 1.4.4: a window of 1280 by 800 pixels shows 640 by 400 at 200 %.
const SIZES = [
  { width: 320, height: 800 },
  { width: 640, height: 400 },
]

test('no page is wider than a 320 px screen, or than the window at 200 %', async ({ page, origin }) => {
  const measure = async () => {
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    for (const size of SIZES) await expectNothingCutOff(page, size)
    SIZES.reverse()
  }
  // This page forwards people who are signed in.
  await page.goto('/sign-in')
  await measure()
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Unbreakable'.repeat(15), text: 'word '.repeat(60) })
  await runAction(page, origin, 'invite-member', { email: LONG_EMAIL, role: 'member' })
  const [first = '', ...others] = PATHS
  await page.goto(first)
  await measure()
  for (const path of others) {
    await moveTo(page, path)
    await measure()
  }
})
