import userEvent from '@testing-library/user-event'
import { expect, onTestFinished, test } from 'vitest'
import { ORG_PATH } from '#fairway/shared/paths'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { invitationPath, startSmtp } from '../support/mail'
import { aPerson } from '../support/people'
import { confirmAddress } from '../support/query'
import { addMember, invite } from '../support/team'
import { count, fill, find, openSignedIn, press, shows, texts } from './page'
import { expectNoViolations, screen, startSignedIn, waitFor, within } from './support'

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
  await find('menuitemcheckbox', /^Second Office/)
  expect(count('menuitemcheckbox', /^Personal/)).toBe(0)
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

test('the only owner reads before any dialog why they cannot leave, and finds the way', async () => {
  const { server, browser, open } = await openSignedIn('/team/danger')
  await shows('You’re the only member. Delete the organization instead.')
  expect(count('button', 'Leave')).toBe(0)
  await addMember(server, browser, 'Grace')
  await open('/team/danger')
  await shows('You’re the only owner, so you can’t leave yet.')
  expect(count('button', 'Leave')).toBe(0)
  await press('Choose a new owner')
  await find('dialog', /^Transfer Ada/)
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
  await press(/^Join Grace.*Invited as a member/, 'option')
  await press('Join and switch', 'button', await find('dialog', /^Join Grace/))
  await find('button', /^Organization Grace/)
})

/** Grace has an invitation from Ada. She works in her personal organization, which keeps a credential. */
async function openInvited() {
  const app = await startSignedIn({}, aPerson('Grace'))
  await sessionOf(app.browser)
  await app.browser.request(`${ORG_PATH}/vault/openai`, { method: 'PUT', json: { value: 'sk-0123456789' } })
  const ada = createBrowser(app.server.origin)
  await signUp(ada, aPerson())
  const invitation = await invite(ada, 'grace@example.test')
  const revoke = () => ada.request(`${ORG_PATH}/invitations/${invitation}`, { method: 'DELETE' })
  await app.open('/')
  return { ...app, ada, revoke }
}

const banner = () => find('region', 'Waiting for you')
const hasNoBanner = () => waitFor(() => expect(count('region', 'Waiting for you')).toBe(0))
const accept = async () => find('button', /^Accept/, await banner())
const dialog = () => find('dialog', /^Join Ada.*\?$/)
const isClosed = () => waitFor(() => expect(count('dialog')).toBe(0))
const worksIn = (name: string) => find('button', new RegExp(`^Organization ${name}`))

test('accepting an invitation joins without switching organization, with the keyboard alone', async () => {
  const { open } = await openInvited()
  await userEvent.click(await accept())
  await press('Cancel', 'button', await dialog())
  await isClosed()
  await open('/')
  await worksIn('Grace')

  ;(await accept()).focus()
  await userEvent.keyboard('{Enter}')
  await shows(/You work in Grace.s organization/, dialog)
  expect(texts('listitem', await dialog())).toEqual(['openai'])
  const join = await find('button', 'Join', await dialog())
  for (let step = 0; step < 8 && document.activeElement !== join; step++) await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  await isClosed()
  await shows(/You joined Ada.s organization\./)
  await shows(/You still work in Grace.s organization\./)
  await worksIn('Grace')
  await hasNoBanner()
})

test('accepting an invitation joins and switches when the person chooses to', async () => {
  await openInvited()
  await userEvent.click(await accept())
  await press('Join and switch', 'button', await dialog())
  await worksIn('Ada')
  await isClosed()
  expect(document.body.textContent).not.toContain('You still work in')
})

test('accepting an ended invitation shows the reason and removes it from the banner', async () => {
  const { revoke } = await openInvited()
  await userEvent.click(await accept())
  await revoke()
  await press('Join', 'button', await dialog())
  await shows(/You could not join Ada.s organization/, async () => find('alert', undefined, await dialog()))
  await press('Cancel', 'button', await dialog())
  await hasNoBanner()
})

test('the invitation page asks before joining on a phone too, where nothing else has loaded the organizations', async () => {
  const { open, server } = await openInvited()
  window.happyDOM.setViewport({ width: 375, height: 800 })
  await open(invitationPath(server.dataDir, 'grace@example.test'))
  await press(/^Join Ada/)
  await press('Cancel', 'button', await dialog())
  await find('button', /^Join Ada/)
})

test('the emailed invitation page asks before joining and offers to switch afterwards', async () => {
  const { open, server } = await openInvited()
  await open(invitationPath(server.dataDir, 'grace@example.test'))
  await press(/^Join Ada/)
  await press('Join', 'button', await dialog())
  await find('heading', /^You joined Ada/)
  await shows(/You still work in Grace.s organization/, () => find('main'))
  await expectNoViolations(await find('main'))
  await press(/^Switch to Ada/)
  const question = await find('dialog', /^Switch to Ada/)
  expect(texts('listitem', question)).toEqual(['openai'])
  await press(/^Switch to Ada/, 'button', question)
  await worksIn('Ada')
})

test('joining by email domain asks first and keeps the current organization', async () => {
  const { open, server, ada, revoke } = await openInvited()
  await revoke()
  for (const name of ['ada', 'grace']) await confirmAddress(server, `${name}@example.test`)
  await ada.request(ORG_PATH, { method: 'PATCH', json: { allowedDomain: 'example.test' } })
  await open('/')
  await press(/^Join Ada/, 'button', await banner())
  await press('Join', 'button', await dialog())
  await shows(/You still work in Grace.s organization\./)
  await worksIn('Grace')
})

test('inviting people asks for a confirmed address first and continues after the confirmation', async () => {
  const smtp = await startSmtp()
  onTestFinished(smtp.stop)
  const { browser, open, user, person } = await startSignedIn({
    env: { AUTH_SKIP_EMAIL_VERIFICATION: '1', SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' },
  })
  const { email } = person
  await open('/team/invitations')
  const pending = await screen.findByRole('region', { name: 'Invitations' })
  const notice = await within(pending).findByRole('alert')
  expect(notice.textContent).toMatch(/Confirm your address to invite people/)
  expect(notice.textContent).toContain(email)
  await expectNoViolations(pending)
  await user.click(screen.getAllByRole('button', { name: 'Invite people' })[0] as HTMLElement)
  const dialog = await screen.findByRole('dialog')
  expect((await within(dialog).findByRole('alert')).textContent).toContain('Confirm your address')
  expect(screen.queryByRole('textbox', { name: 'Email addresses' })).toBeNull()

  await press('Send me a link', 'button', dialog)
  await screen.findByText(`A link is on its way to ${email}.`)
  const { link } = await smtp.mailTo(email, /Confirm your address/)
  const token = new URL(link).searchParams.get('token') ?? ''
  await browser.post('/_fw/auth/link', { form: { token, where: 'here' } })
  await browser.post('/_fw/claim', { form: { decision: 'all-mine' } })
  // The person comes back to the tab.
  document.dispatchEvent(new Event('visibilitychange'))
  await user.type(await screen.findByRole('textbox', { name: 'Email addresses' }), 'grace@example.test')
  await press('Invite 1 person')
  await waitFor(() => expect(pending.textContent).toContain('grace@example.test'))
})
