import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { query } from '../support/query'
import { addMember } from '../support/team'
import { count, fill, find, press, shows, texts } from './page'
import { expectNoViolations, screen, startSignedIn, waitFor, within } from './support'

const OWN = 'GET /_fw/org/permissions'
const PURGE = /^Delete the organization’s archive for good/

test('an owner creates a role, gives it to a member and a service account, and takes it back', async () => {
  const { server, browser, open } = await startSignedIn()
  await addMember(server, browser, 'Grace')
  const wanted = { name: 'Nightly cleaner', role: 'member', scopes: ['mcp:read'] }
  await browser.post('/_fw/org/service-accounts', { json: wanted })
  await open('/team/roles')
  await shows('No roles yet')
  await press('New role')
  const form = await find('dialog', 'New role')
  await fill('Name', 'Archivists')
  expect(within(form).getByRole('button', { name: 'Create role' }).hasAttribute('disabled')).toBe(true)
  await press(PURGE, 'checkbox', form)
  await expectNoViolations(form)
  await press('Create role', 'button', form)
  await shows('Archivists was created.')
  const list = () => find('list', 'Roles of your organization')
  await shows(/Archivists.*Delete the organization’s archive for good.*No one has this role\./, list)

  await press('Actions for Archivists')
  await press('Give role', 'menuitem')
  await press('Member', 'combobox')
  await press(/Grace/, 'option')
  await press('Give role', 'button', await find('dialog', 'Give the role Archivists'))
  await shows('Grace now has the role Archivists.')
  await press('Actions for Archivists')
  await press('Give role', 'menuitem')
  const give = await find('dialog', 'Give the role Archivists')
  await press('A service account', 'radio', give)
  await press('Service account', 'combobox', give)
  await press('Nightly cleaner', 'option')
  await press('Give role', 'button', give)
  await shows('2 people and accounts have this role.', list)
  await expectNoViolations(await list())

  await press('Remove Archivists from Nightly cleaner')
  await shows('1 person or account has this role.', list)
  expect(
    await query(server, `select u.name as name from fw_org_role_members h join users u on u.id = h.user_id`),
  ).toEqual([{ name: 'Grace' }])
})

test('a role is given for one team, to a person of it', async () => {
  const { server, browser, open } = await startSignedIn()
  await addMember(server, browser, 'Grace')
  await browser.post('/_fw/org/roles', { json: { name: 'Archivists', permissions: ['notes:purge'] } })
  const { id } = await (await browser.post('/_fw/org/teams', { json: { name: 'Sales' } })).json()
  await open('/team/roles')
  const give = async () => {
    await press('Actions for Archivists')
    await press('Give role', 'menuitem')
    const dialog = await find('dialog', 'Give the role Archivists')
    await press('Member', 'combobox', dialog)
    await press(/Grace/, 'option')
    await press('Counts for', 'combobox', dialog)
    await press('Sales', 'option')
    await press('Give role', 'button', dialog)
  }
  await give()
  await shows('They are not in this team.', () => find('dialog'))
  await press('Cancel')
  await waitFor(() => expect(count('dialog')).toBe(0))
  await browser.request(`/_fw/org/teams/${id}/members`, { method: 'PUT', json: { members: ['grace@example.test'] } })
  await give()
  await shows('Grace now has the role Archivists.')
  const list = () => find('list', 'Roles of your organization')
  await shows('Only for Sales', list)
  await expectNoViolations(await list())
  await press('Remove Archivists from Grace')
  await shows('No one has this role.', list)
  expect(await query(server, 'select 1 from fw_org_role_members')).toEqual([])
})

test('a role that loses a permission, and one that is deleted, show who loses what first', async () => {
  const { server, browser, open } = await startSignedIn()
  await addMember(server, browser, 'Grace')
  const made = await browser.post('/_fw/org/roles', { json: { name: 'Archivists', permissions: ['notes:purge'] } })
  const { id } = await made.json()
  await browser.request(`/_fw/org/roles/${id}/members/grace@example.test`, { method: 'PUT' })
  await query(server, `update fw_org_roles set permissions = '["notes:purge","notes:gone"]'`)
  await open('/team/roles')
  await shows('No longer part of this application: notes:gone')

  await press('Actions for Archivists')
  await press('Delete', 'menuitem')
  const review = await find('dialog', 'Delete Archivists?')
  await shows(
    /1 person or account loses a permission\..*Grace.*Delete the organization’s archive for good/,
    () => review,
  )
  await expectNoViolations(review)
  await press('Cancel', 'button', review)
  await waitFor(() => expect(count('dialog')).toBe(0))

  await press('Actions for Archivists')
  await press('Delete', 'menuitem')
  const again = await find('dialog', 'Delete Archivists?')
  await shows('1 person or account loses a permission.', () => again)
  await press('Delete role', 'button', again)
  await shows('Archivists was deleted.')
  expect(await query(server, 'select 1 from fw_org_role_members')).toEqual([])
})

test('the palette and the tools page follow the permissions of a member', async () => {
  const { server, browser, become, open, requests } = await startSignedIn()
  const member = await addMember(server, browser, 'Grace')
  const made = await browser.post('/_fw/org/roles', { json: { name: 'Archivists', permissions: ['notes:purge'] } })
  const { id } = await made.json()
  await open('/tools/purge-archive')
  const roles = async () => screen.findByText(/^Role Archivists/)
  expect((await roles()).textContent).toBe('Role Archivists: no one yet')
  await browser.request(`/_fw/org/roles/${id}/members/grace@example.test`, { method: 'PUT' })
  await open('/tools/purge-archive')
  expect((await roles()).textContent).toBe('Role Archivists: Grace')
  expect(await screen.findByText('Role curator in this application')).toBeTruthy()

  become(member)
  await open('/tools/purge-archive')
  expect((await roles()).textContent).toBe('Role Archivists')
  const openPalette = async () => {
    await open('/notes')
    await userEvent.keyboard('{Control>}k{/Control}')
    await find('option', /^Create a note/)
    await waitFor(() => expect(requests).toContain(OWN))
  }
  const purge = () => texts('option').some(text => text.includes('Empty the organization’s archive'))
  await openPalette()
  await waitFor(() => expect(purge()).toBe(true))
  await browser.request(`/_fw/org/roles/${id}/members/grace@example.test`, { method: 'DELETE' })
  await openPalette()
  await shows('Create a note')
  expect(purge()).toBe(false)
})
