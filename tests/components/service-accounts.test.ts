import { expect, test } from 'vitest'
import { query } from '../support/query'
import { count, fill, find, press, shows } from './page'
import { expectNoViolations, startSignedIn, waitFor } from './support'

test('an owner makes a service account, rotates its key, which shows once, and deletes it', async () => {
  const { server, open } = await startSignedIn()
  await open('/team/apps')
  await shows('No service account yet')
  await press('New service account')
  await fill('Name', 'Nightly export')
  await press('Read and write', 'radio')
  const form = await find('dialog', 'New service account')
  await expectNoViolations(form)
  await press('Make service account', 'button', form)
  await shows('No live key')
  expect(await query(server, 'select role, scopes, destructive from fw_service_accounts')).toEqual([
    { role: 'member', scopes: 'mcp:read mcp:write', destructive: 0 },
  ])

  for (const keys of [1, 2]) {
    await press('Actions for Nightly export')
    await press('New key', 'menuitem')
    await press('Make key', 'button', await find('dialog', 'New key for Nightly export'))
    const shown = await find('dialog', 'Your new key')
    await waitFor(() => expect(shown.textContent).toMatch(/fws_\w{36}/))
    await expectNoViolations(shown)
    await press('I have saved it', 'button', shown)
    await waitFor(() => expect(count('button', /^Revoke: Key ending in/)).toBe(keys))
    expect(document.body.textContent).not.toMatch(/fws_/)
  }

  const [first] = await query(server, 'select end from fw_service_account_keys order by created_at, id')
  const end = String(first?.end)
  await press(`Revoke: Key ending in ${end}`)
  await press('Revoke', 'button', await find('dialog', `Revoke the key ending in ${end}?`))
  await shows('The key was revoked.')
  await waitFor(() => expect(count('button', /^Revoke: Key ending in/)).toBe(1))

  await press('Actions for Nightly export')
  await press('Delete', 'menuitem')
  await press('Delete', 'button', await find('dialog', 'Delete Nightly export?'))
  await shows('Nightly export was deleted.')
  expect(await query(server, 'select 1 from fw_service_account_keys')).toEqual([])
})
