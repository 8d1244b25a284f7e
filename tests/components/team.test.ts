import userEvent from '@testing-library/user-event'
import { expect, onTestFinished, test } from 'vitest'
import { SESSION_PATH } from '#fairway/shared/paths'
import { createBrowser, signUp } from '../support/http'
import { invitationPath, startSmtp } from '../support/mail'
import { aPerson } from '../support/people'
import { confirmAddress, query } from '../support/query'
import { addMember, invite } from '../support/team'
import { count, fill, find, openSignedIn, press, shows, texts } from './page'
import { expectNoViolations, type OpenedApp, startSignedIn, waitFor, within } from './support'

/** Opens a page as the owner Ada. Her members are signed out, and Barbara is an admin. */
async function openTeam(path: string, names: string[] = []) {
  const app = await startSignedIn()
  for (const name of names) {
    const member = await addMember(app.server, app.browser, name, name === 'Barbara' ? 'admin' : 'member')
    await member.request(SESSION_PATH, { method: 'DELETE' })
  }
  await app.open(path)
  return app
}

const table = () => find('table', 'Members')
const names = async () =>
  within(await table())
    .getAllByRole('row')
    .flatMap(row => row.querySelector('td:nth-child(2) p')?.textContent?.trim() ?? [])
const showsNames = (...expected: string[]) => waitFor(async () => expect(await names()).toEqual(expected))
const select = async (field: string, option: string) => userEvent.selectOptions(await find('combobox', field), option)
const rolesOf = ({ server }: OpenedApp) =>
  query(
    server,
    'select u.name as name, m.role as role from org_members m join users u on u.id = m.user_id order by u.name',
  )

test('members are sorted, filtered by role and exported', async () => {
  const { browser } = await openTeam('/team', ['Grace', 'Edsger', 'Barbara'])
  await showsNames('Ada you', 'Grace', 'Edsger', 'Barbara')
  await press('Name', 'button', await table())
  await showsNames('Ada you', 'Barbara', 'Edsger', 'Grace')
  expect(window.location.search).toBe('?members-sort=name')
  const sort = async () => (await find('columnheader', 'Name')).getAttribute('aria-sort')
  expect(await sort()).toBe('ascending')
  await press('Name', 'button', await table())
  await showsNames('Grace', 'Edsger', 'Barbara', 'Ada you')
  expect(await sort()).toBe('descending')
  await press('Last active', 'button', await table())
  await waitFor(async () => expect((await names())[0]).toBe('Ada you'))
  expect(count('cell', 'Signed out')).toBe(3)

  await select('Filter by role', 'Owners and admins')
  await showsNames('Ada you', 'Barbara')
  await select('Filter by role', 'Admins')
  await showsNames('Barbara')
  const href = (await find('link', 'Export CSV')).getAttribute('href') ?? ''
  const file = Buffer.from(await (await browser.get(href)).arrayBuffer()).toString()
  expect(file.trimEnd().split('\r\n')).toEqual([
    '\uFEFFname,email,role,joinedAt,lastActiveAt',
    expect.stringMatching(/^Barbara,barbara@example.test,admin,/),
  ])
})

test('several members change role or are removed at once, and each unchanged member is named with the reason', async () => {
  const app = await openTeam('/team', ['Grace', 'Edsger', 'Barbara'])
  await press('Select Grace', 'checkbox')
  await press('Select Edsger', 'checkbox')
  await shows('2 selected')
  await press('Change role')
  await press('Admin', 'button', await find('dialog'))
  await press('Make Admin')
  await shows('2 people are now Admin.')
  expect(await rolesOf(app)).toMatchObject([
    { name: 'Ada', role: 'owner' },
    { name: 'Barbara', role: 'admin' },
    { name: 'Edsger', role: 'admin' },
    { name: 'Grace', role: 'admin' },
  ])

  await press('Select all on this page', 'checkbox')
  await shows('3 selected')
  await press('Remove')
  const dialog = await find('dialog')
  const remove = await find('button', 'Remove 3 people', dialog)
  expect(count('listitem', undefined, dialog)).toBe(3)
  // The dialog has counted the data to delete by then.
  await waitFor(() => expect(remove).toHaveProperty('disabled', false))
  await query(app.server, `delete from org_members where user_id = (select id from users where name = 'Edsger')`)
  await userEvent.click(remove)
  await shows('1 person was not changed:', () => find('alert', undefined, dialog))
  expect(texts('listitem', dialog)).toEqual([expect.stringMatching(/edsger@example\.test(?!.*not-found)/)])
  await press('Cancel', 'button', dialog)
  await shows('1 member')
  expect(await rolesOf(app)).toMatchObject([{ name: 'Ada' }])
})

test('a changed role can be undone with one press', async () => {
  const app = await openTeam('/team', ['Grace'])
  await press('Role of Grace: Member')
  await press(/^Admin/, 'menuitemcheckbox')
  await press('Undo')
  await find('button', 'Role of Grace: Member')
  // The page shows the role before the server has answered.
  await waitFor(async () =>
    expect(await rolesOf(app)).toMatchObject([{ name: 'Ada' }, { name: 'Grace', role: 'member' }]),
  )
})

test('a copied invitation link works only for the invited address and keeps the emailed link valid', async () => {
  const { server, browser, open, become } = await startSignedIn()
  await invite(browser, 'grace@example.test')
  const hash = () => query(server, 'select token_hash as hash from org_invitations')
  const before = await hash()
  await open('/team/invitations')
  await press('Actions for grace@example.test')
  await press('Copy link', 'menuitem')
  await shows('It works only for grace@example.test')
  const { pathname, search } = new URL(await navigator.clipboard.readText())
  expect(pathname + search).toMatch(/^\/invitation\?id=[^&]+$/)
  expect(await hash()).toEqual(before)

  await open(pathname + search)
  await find('heading', 'This invitation isn’t for ada@example.test')
  await find('button', 'Sign out and continue')

  const grace = createBrowser(server.origin)
  await signUp(grace, aPerson('Grace'))
  become(grace)
  await open(pathname + search)
  await press(/^Join Ada/)
  await find('heading', /^You joined Ada/)
})

test('several invitations are revoked at once', async () => {
  const { server, browser, open } = await startSignedIn()
  for (const name of ['a', 'b', 'c']) await invite(browser, `${name}@example.test`)
  await open('/team/invitations')
  expect(await within(await find('table')).findAllByTitle('Ada · ada@example.test')).toHaveLength(3)
  await press('Select a@example.test', 'checkbox')
  await press('Select b@example.test', 'checkbox')
  await press('Revoke')
  await press('Revoke 2 invitations')
  await shows('2 invitations were revoked.')
  expect(await query(server, `select email from org_invitations where status = 'pending'`)).toMatchObject([
    { email: 'c@example.test' },
  ])
})

test('an invitation whose email was not delivered says so, and its address can be corrected', async () => {
  const options: NonNullable<Parameters<typeof startSmtp>[0]> = { refuses: 'for-good' }
  const smtp = await startSmtp(options)
  onTestFinished(smtp.stop)
  const { server, browser, open } = await startSignedIn({
    env: { AUTH_SKIP_EMAIL_VERIFICATION: '1', SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' },
  })
  await confirmAddress(server, 'ada@example.test')
  await invite(browser, 'grace@exampel.test')
  await waitFor(async () =>
    expect(await query(server, 'select failed_at from mail_outbox where failed_at > 0')).toHaveLength(1),
  )
  options.refuses = undefined
  await open('/team/invitations')
  await shows('The email to grace@exampel.test could not be delivered', () => find('alert'))
  const row = await find('row', /grace@exampel\.test/)
  expect(within(row).getByTitle(/550 no such mailbox/).textContent).toBe('Not delivered')
  await press('Actions for grace@exampel.test')
  await press('Correct address…', 'menuitem')
  const dialog = await find('dialog', 'Correct grace@exampel.test')
  await fill('Email address', 'grace@example.test', 'textbox', dialog)
  await press('Send invitation', 'button', dialog)
  await find('row', /grace@example\.test/)
  expect(count('row', /grace@exampel\.test/)).toBe(0)
  expect(await query(server, `select email, status from org_invitations order by email`)).toEqual([
    { email: 'grace@exampel.test', status: 'revoked' },
    { email: 'grace@example.test', status: 'pending' },
  ])
})

test('ownership is transferred to a member found by name, with the keyboard alone', async () => {
  const app = await openTeam('/team/danger', ['Grace Hopper', 'Grace Kelly'])
  ;(await find('button', 'Transfer')).focus()
  await userEvent.keyboard('{Enter}')
  const dialog = await find('dialog', /^Transfer Ada/)
  const field = await find('combobox', 'New owner', dialog)
  expect(await find('button', 'Transfer ownership', dialog)).toHaveProperty('disabled', true)
  field.focus()
  await userEvent.keyboard('{ArrowDown}')
  const options = () => texts('option')
  await waitFor(() => expect(options()).toEqual([expect.stringMatching('Hopper'), expect.stringMatching('Kelly')]))
  await expectNoViolations(dialog)
  await userEvent.keyboard('kel')
  await waitFor(() => expect(options()).toEqual([expect.stringMatching(/Grace Kelly.*grace\.kelly@example\.test/s)]))
  await userEvent.keyboard('{Enter}')
  expect(field).toHaveProperty('value', 'Grace Kelly')
  ;(await find('button', 'Transfer ownership', dialog)).focus()
  await userEvent.keyboard('{Enter}')
  await shows('Grace Kelly is now the owner.')
  expect(await rolesOf(app)).toMatchObject([
    { name: 'Ada', role: 'admin' },
    { name: 'Grace Hopper', role: 'member' },
    { name: 'Grace Kelly', role: 'owner' },
  ])
})

test('member search keeps known results visible while the response is slow and reuses them next time', async () => {
  const { server, intercept } = await openTeam('/team/roles', ['Grace', 'Edsger'])
  const options = (n: number) => waitFor(() => expect(count('option')).toBe(n))
  await press('Assign role')
  await press('Member', 'combobox')
  await options(3)
  const heal = intercept(/\/team-members\?/, () => new Promise(() => undefined))
  await fill('Member', 'gra', 'combobox')
  await waitFor(() => expect(texts('option')).toEqual([expect.stringMatching('Grace')]))
  await userEvent.keyboard('{Escape}')
  await options(0)
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(count('dialog')).toBe(0))
  await press('Assign role')
  await press('Member', 'combobox')
  await options(3)
  heal()
  await fill('Member', 'zebra', 'combobox')
  await shows('No member matches.')
  await fill('Member', 'edsger@', 'combobox')
  await press(/Edsger/, 'option')
  const dialog = await find('dialog')
  await press('reader', 'button', dialog)
  await press('Assign role', 'button', dialog)
  await shows('Edsger is now reader.')
  expect(
    await query(
      server,
      'select u.name as name, r.role as role from app_member_roles r join users u on u.id = r.user_id',
    ),
  ).toMatchObject([{ name: 'Edsger', role: 'reader' }])
})

test('a narrow screen shows members as cards with all actions, twenty per page', async () => {
  const { server, browser, open } = await startSignedIn()
  for (let index = 10; index < 35; index++) await addMember(server, browser, `Member Number ${index}`)
  window.happyDOM.setViewport({ width: 375, height: 800 })
  await open('/team')
  const cards = within(await find('list', 'Members'))
  await waitFor(() => expect(cards.getAllByRole('listitem')).toHaveLength(20))
  const second = () => cards.getAllByRole('listitem')[1]!
  await press(/^Actions for Member Number/, 'button', second())
  await press('Change role', 'menuitem')
  const dialog = await find('dialog')
  await press('Admin', 'button', dialog)
  await press('Make Admin', 'button', dialog)
  await shows('Admin', second)
})

test('a person without an organization accepts an invitation in the banner without a confirmation', async () => {
  const { server, browser, open, become } = await startSignedIn()
  const grace = createBrowser(server.origin)
  await signUp(grace, aPerson('Grace'))
  await invite(browser, 'grace@example.test')
  become(grace)
  await open('/')
  const banner = await find('region', 'Waiting for you')
  await shows('Ada invited you to Ada', () => banner)
  await press(/^Accept/, 'button', banner)
  await find('button', /^Organization Ada/)
  await waitFor(() => expect(count('region', 'Waiting for you')).toBe(0))
})

test('the invitation dialog shows each address once, counts valid ones and explains why one was not invited', async () => {
  await openTeam('/team')
  await press('Invite people')
  const dialog = await find('dialog')
  const addresses = async () => texts('listitem', await find('list', 'Addresses to invite'))
  await fill('Email addresses', 'Grace Hopper <grace@example.test>, ada@example.test, GRACE@example.test nobody ')
  expect(await addresses()).toEqual(['grace@example.test', 'ada@example.test', expect.stringMatching(/^nobody/)])
  await press('Invite 2 people', 'button', dialog)
  const alert = await find('alert')
  await shows('1 address was not invited.', () => alert)
  await shows('ada@example.test – already belongs to this organization.', () => alert)
  expect(alert.textContent).not.toContain('already-a-member')
  expect(await addresses()).toEqual(['ada@example.test', expect.stringMatching(/^nobody/)])
  await press('Remove ada@example.test')
  await press('Invite people', 'button', dialog)
  await shows('None of these is a valid email address.')
  await press('Remove nobody')
  await fill('Email addresses', Array.from({ length: 51 }, (_, index) => `p${index}@example.test`).join(' '))
  await press('Invite 51 people', 'button', dialog)
  await shows('You can invite up to 50 people at once. You entered 51.')
})

test('an invitation is resent and revoked, and the revoked link says so', async () => {
  const { server, browser, open, become } = await startSignedIn()
  await invite(browser, 'grace@example.test')
  await open('/team/invitations')
  await press('Actions for grace@example.test')
  await press('Resend', 'menuitem')
  await shows('A new link was sent to grace@example.test.')
  await press('Actions for grace@example.test')
  await press('Revoke', 'menuitem')
  await shows('No pending invitations')

  const grace = createBrowser(server.origin)
  await signUp(grace, aPerson('Grace'))
  become(grace)
  await open(invitationPath(server.dataDir, 'grace@example.test'))
  await find('heading', 'This invitation was revoked')
  await open('/invitation?id=unknown&token=unknown')
  await find('heading', 'There is no invitation at this link')
  expect((await find('main')).querySelectorAll('p')).toHaveLength(1)
})

test('an invitation link for another address asks the person to sign out and returns to the link', async () => {
  const { server, browser, open, left } = await startSignedIn()
  await invite(browser, 'grace@example.test')
  await open(invitationPath(server.dataDir, 'grace@example.test'))
  await find('heading', 'This invitation is for grace@example.test')
  await press('Sign out and continue')
  await waitFor(() => expect(left).toEqual([expect.stringMatching(/^\/sign-in\?return=%2Finvitation/)]))
})

test('members are found by search, and the organization’s name is changed', async () => {
  const { open } = await openTeam('/team')
  await fill(undefined, 'zebra', 'searchbox')
  await shows('No results for “zebra”.')
  expect(window.location.search).toBe('?members-name=zebra')
  await open('/team?members-name=zebra')
  expect(await find('searchbox')).toHaveProperty('value', 'zebra')
  await press('Show everyone')
  await shows('ada@example.test', () => find('region', 'Members'))
  expect(window.location.search).toBe('')
  await open('/team/general')
  await press('Edit name')
  await fill('Name', 'Harbour Works')
  await press('Save name')
  await find('button', 'Organization Harbour Works')
  await open('/team/sign-in')
  await press('Edit domain')
  await fill('Domain', 'gmail.com')
  await press('Save domain')
  const review = await find('dialog', 'Edit domain')
  await shows('Anyone with a confirmed address at gmail.com can join as a member. Members stay.', () => review)
  await press('Save domain', 'button', review)
  await shows('Anyone can have an address at this domain.', () => review)
})

test('the owner changes the address of the organization, and others see it', async () => {
  const { open, server } = await openTeam('/team/general')
  const section = () => find('region', 'Address')
  await shows('/o/adas-organization', section)
  await press('Change address')
  expect(await find('button', 'Save address')).toHaveProperty('disabled', true)
  await fill('Address', 'not an address')
  await press('Save address')
  await shows('Use 2 to 40 letters from a to z, digits and single hyphens.', section)
  await query(
    server,
    `insert into organizations (id, name, slug, created_by, created_at) values ('other', 'Taken', 'taken', 'x', 0)`,
  )
  await fill('Address', 'taken')
  await press('Save address')
  await shows('Another organization has or had this address.', section)
  await shows('The previous address leads here for 90 days', section)
  await expectNoViolations(await section())
  await fill('Address', 'Harbour')
  await press('Save address')
  await shows('/o/harbour', section)
  await query(server, `update org_members set role = 'admin'`)
  await open('/team/general')
  await shows('Owners can change this.', section)
  expect(count('button', 'Change address')).toBe(0)
})

test('two-factor authentication for everyone is required only after a review, by name for those it locks out', async () => {
  const app = await openTeam('/team/sign-in', ['Grace'])
  const policies = () => query(app.server, 'select second_factor_grace_days as days from organizations')
  const label = 'Require two-factor authentication'
  await press(label, 'switch')
  let review = await find('dialog', label)
  await shows(/2 members have not set it up\. They have until /, () => review)
  expect(within(await find('list', 'Not set up yet', review)).getAllByRole('listitem')).toHaveLength(2)
  expect((await find('list', 'Not set up yet', review)).tabIndex).toBe(0)
  await expectNoViolations(review)
  await press('Cancel', 'button', review)
  expect(await policies()).toEqual([{ days: null }])
  await fill('Days to set it up', '0', 'spinbutton')
  await press(label, 'switch')
  review = await find('dialog', label)
  await shows('You will be locked out', () => review)
  const link = await find('link', 'Set it up first', review)
  expect(link.getAttribute('href')).toBe('/settings/security#factors')
  const anyway = await find('button', 'Require it anyway', review)
  expect(anyway).toHaveProperty('disabled', true)
  await fill(/^Type /, "ada's organization", 'textbox', review)
  await press('Require it anyway', 'button', review)
  await waitFor(async () => expect(await policies()).toEqual([{ days: 0 }]))
})

test('read-only apps are reviewed with the apps that lose writing', async () => {
  const app = await openTeam('/team', [])
  const json = { name: 'Reports', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 30 }
  expect((await app.browser.post('/_fw/tokens', { json })).status).toBe(201)
  await app.open('/team/apps')
  await press('Read-only apps', 'switch')
  const review = await find('dialog', 'Make apps read-only?')
  await shows('1 app or token can no longer change data. This takes effect immediately.', () => review)
  expect((await find('list', 'Apps and tokens that may change data', review)).textContent).toMatch(/Ada.*Reports/s)
  await press('Make read-only', 'button', review)
  await shows('Connected apps are now read-only.')
})

test('every team section has a URL, and an unknown section is not found', async () => {
  const { open } = await openSignedIn('/team')
  for (const [section, heading] of [
    ['roles', 'Roles in the organization'],
    ['sign-in', 'Allowed domain'],
    ['vault', 'Vault'],
    ['apps', 'Connected apps'],
    ['webhooks', 'Webhooks'],
    ['general', 'About this organization'],
    ['danger', 'Danger zone'],
  ] as const) {
    await open(`/team/${section}`)
    await find('heading', heading)
  }
  await open('/team/nowhere')
  await find('heading', 'There is no page at this address')
})

test('groups of the directory get roles after a review, by keyboard', async () => {
  const app = await startSignedIn()
  const { server, browser, open } = app
  const { endpoint, token } = await (await browser.post('/_fw/org/directory')).json()
  const send = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    return (await fetch(`${endpoint}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  await query(
    server,
    `insert into fw_org_domains (org_id, domain, token, status, proved_at, checked_at, created_by, created_at)
      select id, 'larch.example', 'token', 'proved', 1, 9e12, created_by, 1 from organizations`,
  )
  await open('/team/single-sign-on')
  await shows('Your directory has sent no groups yet.')
  const { id } = await send('/Users', { userName: 'grace@larch.example', displayName: 'Grace' })
  await send('/Groups', { displayName: 'IT', members: [{ value: id }] })
  await open('/team/single-sign-on')
  const groups = await find('list', 'Groups')
  expect(texts('listitem', groups)[0]).toContain('1 person')
  const review = await find('button', 'Review the changes')
  expect(review.hasAttribute('disabled')).toBe(true)
  const orgRole = await find('combobox', 'Role of IT in the organization')
  orgRole.focus()
  await userEvent.keyboard('{Enter}')
  await find('option', 'Admin')
  await userEvent.keyboard('{End}{Enter}')
  await press('Role of IT in the application', 'combobox')
  await press('curator', 'option')
  await press('Use IT as a team', 'checkbox')
  await press('Review the changes')
  const dialog = await find('dialog', 'Change roles and teams of groups?')
  await within(dialog).findByText(
    'IT becomes a team with 1 person. 2 roles change now. Roles and teams follow your directory from now on.',
  )
  expect(texts('listitem', await find('list', 'Changed roles', dialog))).toEqual([
    expect.stringMatching('Grace.*Member → Admin'),
    expect.stringMatching('Grace.*No role → curator'),
  ])
  await expectNoViolations(dialog)
  expect(await rolesOf(app)).toContainEqual({ name: 'Grace', role: 'member' })
  await press('Make the changes', 'button', dialog)
  await shows('The roles and teams of groups were changed.')
  expect(await query(server, 'select name from fw_teams')).toEqual([{ name: 'IT' }])
  expect(await rolesOf(app)).toContainEqual({ name: 'Grace', role: 'admin' })
  await waitFor(() => expect(review.hasAttribute('disabled')).toBe(true))
  await expectNoViolations(groups)
})
