import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { ORG_PATH } from '#fairway/shared/paths'
import { createBrowser, sessionOf, signUp } from '../support/http'
import { invitationPath } from '../support/mail'
import { aPerson } from '../support/people'
import { confirmAddress } from '../support/query'
import { invite } from '../support/team'
import { count, find, press, shows, texts } from './page'
import { expectNoViolations, startSignedIn, waitFor } from './support'

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
