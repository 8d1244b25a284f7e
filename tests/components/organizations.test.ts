import { expect, test } from 'vitest'
import { ORG_PATH } from '#fairway/shared/paths'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { aPerson } from '../support/people'
import { invite } from '../support/team'
import { fill, find, openSignedIn, press, shows, texts } from './page'
import { startSignedIn, waitFor } from './support'

/** Creates another organization; the person then works in it. */
const create = (browser: TestBrowser, name: string) => browser.post(ORG_PATH, { json: { name, confirm: true } })
const openSwitcher = () => press(/^Organization /)

test('creating another organization shows a warning first', async () => {
  const { open } = await openSignedIn('/team')
  await openSwitcher()
  expect((await find('menuitemcheckbox', /^Ada.*Owner/)).getAttribute('aria-checked')).toBe('true')
  await press('Create organization', 'menuitem')
  const dialog = await find('dialog')
  await press('Create organization', 'button', dialog)
  await shows('Enter a name.', () => dialog)
  await fill('Name', 'Second Office', 'textbox', dialog)
  await press('Create organization', 'button', dialog)
  await shows(/You already belong to Ada.*separate members and credentials/, () => find('alert', undefined, dialog))
  await press('Create anyway', 'button', dialog)
  await find('button', 'Organization Second Office')
  await open('/team/general')
  await shows('Second Office', () => find('region', 'Organization'))
})

test('switching organization is immediate with undo, and asks first only when credentials are left behind', async () => {
  const { browser, open } = await startSignedIn()
  await browser.get('/_fw/session')
  await create(browser, 'Second Office')
  await open('/team')
  await find('button', 'Organization Second Office')
  await openSwitcher()
  await press(/^Ada/, 'menuitemcheckbox')
  await find('button', /^Organization Ada/)
  await press('Undo')
  await find('button', 'Organization Second Office')
  await browser.request(`${ORG_PATH}/vault/openai`, { method: 'PUT', json: { value: 'sk-1234567890' } })
  await openSwitcher()
  await press(/^Ada/, 'menuitemcheckbox')
  const dialog = await find('dialog', /^Switch to Ada/)
  await shows('You leave Second Office', () => dialog)
  expect(texts('listitem', dialog)).toEqual(['openai'])
  await press(/^Switch to Ada/, 'button', dialog)
  await find('button', /^Organization Ada/)

  await openSwitcher()
  await press(/^Personal/, 'menuitemcheckbox')
  await find('heading', 'You work without an organization')
})

test('the organization switcher has a search when there are many organizations', async () => {
  const { browser, open } = await startSignedIn()
  await browser.get('/_fw/session')
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta', 'Zeta', 'Eta', 'Epsilon']) await create(browser, name)
  await open('/team')
  const epsilon = () => find('button', 'Organization Epsilon')
  await waitFor(async () => expect((await epsilon()).getAttribute('aria-haspopup')).toBe('dialog'))
  await openSwitcher()
  await fill(undefined, 'gam', 'textbox', await find('dialog'))
  await waitFor(() => expect(texts('option')).toEqual([expect.stringMatching('Gamma')]))
  await press(/Gamma/, 'option')
  await find('button', 'Organization Gamma')
})

test('the only owner cannot leave and sees the reason', async () => {
  await openSignedIn('/team/danger')
  await press('Leave')
  await press('Leave organization', 'button', await find('dialog'))
  await shows('An organization needs an owner.', () => find('alert'))
})

test('the organization search finds organizations to join', async () => {
  const { server, browser, open } = await startSignedIn()
  await browser.get('/_fw/session')
  const grace = createBrowser(server.origin)
  await signUp(grace, aPerson('Grace'))
  await invite(grace, 'ada@example.test')
  await open('/team')
  await openSwitcher()
  await press('Find organizations', 'menuitem')
  await press(/^Join Grace.*Invited as Member/, 'option')
  await press('Join and switch', 'button', await find('dialog', /^Join Grace/))
  await find('button', /^Organization Grace/)
})
