import { expect, test } from 'vitest'
import { createBrowser, sessionOf } from '../support/http'
import { newestMail } from '../support/mail'
import { aPerson } from '../support/people'
import { ageSessions, confirmAddress, query } from '../support/query'
import { createTeamWorld } from '../support/team'
import { find, press, shows } from './page'
import { documentOf, expectNoViolations, screen, startSignedIn, waitFor, within } from './support'

const heading = () => screen.getByRole('heading', { level: 1 }).textContent
const field = (name: string | RegExp) => screen.getByLabelText<HTMLInputElement>(name)

test('settings sections have URLs, and the former anchors redirect to them', async () => {
  const { open } = await startSignedIn()
  await open('/settings')
  const list = within(screen.getByRole('main')).getByRole('navigation', { name: 'Settings' })
  const links = () => within(list).getAllByRole('link')
  expect(links().map(link => link.textContent)).toEqual(['Profile', 'Security', 'Connected apps', 'Appearance', 'Data'])
  await press('Appearance', 'link', list)
  await screen.findByRole('radio', { name: 'Dark' })
  expect(window.location.pathname).toBe('/settings/appearance')
  expect(links().map(link => link.getAttribute('aria-current'))).toEqual([null, null, null, 'page', null])
  for (const [former, place] of [
    ['#devices', '/settings/security#devices'],
    ['#factors', '/settings/security#factors'],
    ['#connected-apps', '/settings/apps'],
  ] as const) {
    await open(`/settings${former}`)
    await waitFor(() => expect(window.location.pathname + window.location.hash).toBe(place))
  }
})

test('settings offer each topic by email and in the inbox, and a person turns off one of them', async () => {
  const { open, browser } = await startSignedIn()
  await open('/settings')
  await press('Monthly review of unused access by email', 'switch')
  await shows('You’ll no longer get “Monthly review of unused access by email”.')
  const topics = async () => (await (await browser.get('/_fw/account/mail')).json()).topics
  expect(await topics()).toMatchObject([{ topic: 'unused-access', isOn: false, isInInbox: true }])
  await press('Monthly review of unused access in the inbox', 'switch')
  await shows('You’ll no longer get “Monthly review of unused access in the inbox”.')
  expect(await topics()).toMatchObject([{ isOn: false, isInInbox: false }])
})

test('an unknown settings section has no page', async () => {
  const { open } = await startSignedIn()
  for (const path of ['/settings/nowhere', '/settings/desktop']) {
    await open(path)
    expect(heading()).toBe('There is no page at this address')
  }
})

test('changing the name updates it everywhere on the page', async () => {
  const { open, user } = await startSignedIn()
  await open('/settings')
  await press('Edit name')
  await waitFor(() => expect(document.activeElement).toBe(field('Name')))
  await user.clear(field('Name'))
  await user.type(field('Name'), 'Nobody')
  await press('Cancel')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit name' })))
  await user.keyboard('{Enter}')
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Ada')
  await user.type(field('Name'), ' Lovelace{Enter}')
  await screen.findByRole('button', { name: /^Account Ada Lovelace/ })
  expect((await find('region', 'Email address')).textContent).toContain('ada@example.test')
})

test('an email address change can be cancelled, and takes effect after both addresses confirm it', async () => {
  const { server, open, user, person } = await startSignedIn()
  await confirmAddress(server, person.email)
  await open('/settings')
  const section = await find('region', 'Email address')
  await press('Change address…', 'button', section)
  const dialog = await screen.findByRole('dialog')
  await user.type(await screen.findByLabelText('New address'), person.email)
  await press('Send the links', 'button', dialog)
  await within(dialog).findByText('Choose another address.')
  await user.clear(field('New address'))
  await user.type(field('New address'), 'countess@example.test')
  await expectNoViolations(dialog)
  await press('Send the links', 'button', dialog)
  await within(section).findByText(/^Waiting to change to countess@example\.test/)
  await expectNoViolations(section)
  await press('Cancel change', 'button', section)
  await press('Change address…', 'button', section)
  await user.type(await screen.findByLabelText('New address'), 'countess@example.test')
  await press('Send the links', 'button', await screen.findByRole('dialog'))
  await within(section).findByText(/^Waiting to change to countess@example\.test/)

  for (const email of ['countess@example.test', person.email]) {
    const { pathname, search, searchParams } = newestMail(server.dataDir, email).link
    const elsewhere = createBrowser(server.origin)
    await expectNoViolations(documentOf(await (await elsewhere.get(pathname + search)).text()))
    const answer = await elsewhere.post(pathname, {
      form: { token: String(searchParams.get('token')) },
    })
    expect(answer.status).toBe(200)
  }
  await open('/settings')
  const changed = await find('region', 'Email address')
  await within(changed).findByText('countess@example.test')
  expect(changed.textContent).not.toContain('Waiting to change')
})

test('an account is deleted after a review of the affected data, the typed address and the password', async () => {
  const { server, browser, open, user, person, left } = await startSignedIn()
  await confirmAddress(server, person.email)
  const { userId, orgId } = await sessionOf(browser)
  // Their note in an organization with two other members, who can both take it over.
  const world = createTeamWorld(server)
  const ann = await world.person({ name: 'Ann' })
  await ann.browser.post('/_fw/org', { json: { name: 'Harbour', confirm: true } })
  const ben = await world.join(ann, 'member', await world.person({ name: 'Ben' }))
  await world.join(ann, 'member', { browser, email: person.email, userId })
  await browser.post('/_fw/actions/create-note', { json: { title: 'Mine', text: 'Text' } })
  await browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm: true } })
  await browser.post('/_fw/actions/create-note', { json: { title: 'Also mine', text: 'Text' } })
  // An older sign-in requires the person to confirm that it is them, in the same dialog.
  await ageSessions(server)
  await open('/settings/data')
  await press('Delete account…')
  const dialog = await screen.findByRole('dialog')
  await within(dialog).findByText('1 note')
  within(dialog).getByText(/you are its only member/)
  await user.click(await screen.findByLabelText('New owner of your data in Harbour'))
  await press(/Ben/, 'option', document.body)
  await within(dialog).findByText(/Ben gets 1 row of yours there\./)
  const button = within(dialog).getByRole('button', { name: 'Delete my account' })
  expect(button).toHaveProperty('disabled', true)
  await user.type(field(/^Type your address/), person.email)
  expect(button).toHaveProperty('disabled', true)
  await user.type(field('Your password'), 'not my password')
  await press('Confirm', 'button', dialog)
  await within(dialog).findByText('Wrong password.')
  await user.clear(field('Your password'))
  await user.type(field('Your password'), `${person.password}{Enter}`)
  await waitFor(() => expect(button).toHaveProperty('disabled', false))
  await user.click(button)
  await waitFor(() => expect(left).toEqual(['/sign-in?return=%2Fsettings%2Fdata']))
  expect(await query(server, 'select id from users where email = ?', [person.email])).toEqual([])
  expect(await query(server, 'select owner_email from notes')).toEqual([{ owner_email: ben.email }])
})

test('the last owner of an organization with other members is told what to do before deleting the account', async () => {
  const { server, browser, open, person } = await startSignedIn()
  await confirmAddress(server, person.email)
  const { userId } = await sessionOf(browser)
  await createTeamWorld(server).join({ browser, email: person.email, userId }, 'member')
  await open('/settings/data')
  await press('Delete account…')
  const dialog = await screen.findByRole('dialog')
  await within(dialog).findByText('Before you can delete your account')
  expect(within(dialog).getByRole('button', { name: 'Delete my account' })).toHaveProperty('disabled', true)
  await expectNoViolations(dialog)
  await press('Open your organization', 'link', dialog)
  await screen.findByRole('heading', { level: 1, name: 'Members' })
})

test('a refused password shows the reason at the field', async () => {
  const { open, user } = await startSignedIn()
  await open('/settings/security')
  await press('Change password')
  await user.type(await screen.findByLabelText('Current password'), 'not my password')
  await user.type(field('New password'), 'a slow river under stone 7')
  await press('Save password')
  await screen.findByText('This is not your current password.')
  await user.clear(field('Current password'))
  await user.type(field('Current password'), aPerson().password)
  await user.clear(field('New password'))
  await user.type(field('New password'), 'short')
  await press('Save password')
  await screen.findByText(/too short/)
  await press('Cancel')
  await press('Change password')
  expect((await screen.findByLabelText<HTMLInputElement>('New password')).value).toBe('')
  expect(screen.queryByText(/too short/)).toBeNull()
})

test('changing the password ends the other sessions', async () => {
  const { server, browser, open, user, person } = await startSignedIn()
  const elsewhere = createBrowser(server.origin)
  const { email, password } = person
  await elsewhere.post('/_fw/auth/sign-in/email', { json: { email, password } })
  expect(await sessionOf(elsewhere)).not.toBeNull()
  await open('/settings/security')
  await press('Change password')
  await user.type(await screen.findByLabelText('Current password'), password)
  await user.type(field('New password'), 'a slow river under stone 7')
  screen.getByRole('checkbox', { name: 'Revoke connected apps and tokens', checked: true })
  await press('Save password')
  await screen.findByText('Your password has been changed.')
  expect(screen.queryByLabelText('Current password')).toBeNull()
  expect(await sessionOf(elsewhere)).toBeNull()
  expect(await sessionOf(browser)).not.toBeNull()
})

test('a new password can be shown, and its rules are checked while typing', async () => {
  const { open, user } = await startSignedIn()
  await open('/settings/security')
  const password = await find('region', 'Password')
  await press('Change password', 'button', password)
  await user.type(await screen.findByLabelText('New password'), 'short')
  await waitFor(() => expect(within(password).getAllByText('(met)')).toHaveLength(1))
  await user.clear(field('New password'))
  await user.type(field('New password'), 'a slow river under stone')
  await waitFor(() => expect(within(password).getAllByText('(met)')).toHaveLength(2))
  expect(field('New password').type).toBe('password')
  await user.click(within(password).getAllByRole('button', { name: 'Show password' }).at(-1) as HTMLElement)
  expect(field('New password').type).toBe('text')
})

test('a language chosen in the account menu is kept after a reload', async () => {
  const { open } = await startSignedIn()
  await open('/')
  await press(/^Account/)
  await press('العربية', 'menuitemcheckbox', undefined)
  await waitFor(() => expect(document.documentElement.dir).toBe('rtl'))
  await open('/')
  await waitFor(() => expect(document.documentElement.lang).toBe('ar'))
  expect(document.documentElement.dir).toBe('rtl')
})
