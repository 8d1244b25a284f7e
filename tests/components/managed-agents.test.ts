import { expect, test } from 'vitest'
import { sessionOf } from '../support/http'
import { query } from '../support/query'
import { fill, find, press, shows } from './page'
import { expectNoViolations, startSignedIn, waitFor } from './support'

const ISSUER = 'https://login.example.com'

test('an owner switches managed agents on, adds a client whose secret shows once, and deletes it', async () => {
  const { server, browser, open } = await startSignedIn()
  const { orgId, userId } = await sessionOf(browser)
  await query(
    server,
    `insert into fw_org_connections (id, org_id, name, issuer, client_auth, provision, default_role, state, created_by, created_at)
      values ('corp', ?, 'Larch login', ?, 'secret', 1, 'member', 'active', ?, 0)`,
    [orgId, ISSUER, userId],
  )
  await open('/team/single-sign-on')
  await press('Actions for Larch login')
  await press('Managed agents', 'menuitem')
  const dialog = await find('dialog', 'Managed agents of Larch login')
  expect(await find('textbox', 'Issuers', dialog)).toHaveProperty('value', ISSUER)
  await press('Accept managed agents', 'switch', dialog)
  await expectNoViolations(dialog)
  await press('Save', 'button', dialog)
  await shows('Larch login was saved.')
  expect(await query(server, 'select managed_agents as isOn from fw_org_connections')).toMatchObject([{ isOn: 1 }])

  await press('Add a client')
  await fill('Name', 'Larch agent')
  await press('Add a client', 'button', await find('dialog'))
  const shown = await find('dialog', 'Client ID and secret')
  await waitFor(() => expect(shown.textContent).toMatch(/fwm_[\w-]{43}/))
  await expectNoViolations(shown)
  await press('I have saved it', 'button', shown)
  await shows('Nobody connected')
  expect(document.body.textContent).not.toMatch(/fwm_/)

  await press('Actions for Larch agent')
  await press('Delete', 'menuitem')
  await press('Delete', 'button', await find('dialog', 'Delete Larch agent?'))
  await shows('Larch agent was deleted.')
  expect(await query(server, 'select 1 from fw_managed_clients')).toEqual([])
})
