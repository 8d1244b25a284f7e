import { expect, test } from 'vitest'
import { sessionOf } from '../support/http'
import { addGrant, query } from '../support/query'
import { find, press, shows } from './page'
import { expectNoViolations, startSignedIn, waitFor, within } from './support'

test('a person sees what a connected app used, removes the rest, and is offered to revoke an idle app', async () => {
  const { server, browser, open } = await startSignedIn()
  const { email, orgId, userId } = await sessionOf(browser)
  const used = await addGrant(server, { email, clientName: 'Editor', clientId: 'editor' })
  await addGrant(server, { email, clientName: 'Sleeper' })
  const now = Date.now()
  await query(server, 'update oauth_grants set read_at = ?, written_at = ? where id = ?', [now, now, used])
  const input = JSON.stringify({ $from: { clientAddress: null, device: null, grant: used } })
  for (const id of ['a', 'b'])
    await query(
      server,
      `insert into audit_log (id, at, action, caller, via, user_id, org_id, outcome, request_id, input)
        values (?, ?, 'archive-note', 'mcp', 'editor', ?, ?, 'ok', ?, ?)`,
      [id, now, userId, orgId, id, input],
    )

  await open('/settings/apps')
  await press('Details of Sleeper')
  const idle = await find('dialog', 'Sleeper')
  await waitFor(() => expect(idle.textContent).toContain('Has used nothing yet.'))
  await find('button', 'Revoke', idle)
  await press('Close', 'button', idle)

  await press('Details of Editor')
  const details = await find('dialog', 'Editor')
  const use = await find('region', 'Last 30 days', details)
  await waitFor(() => expect(use.textContent).toContain('2 times'))
  expect(use.textContent).toMatch(/Deleted\s*Not used/)
  await expectNoViolations(details)
  await press('Remove unused permissions', 'button', details)

  const review = await find('dialog', 'Remove unused permissions from Editor?')
  expect(
    within(review)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Delete'])
  await expectNoViolations(review)
  await press('Remove permissions', 'button', review)
  await shows('Editor has fewer permissions now.')
  expect(await query(server, 'select scope, may_delete as mayDelete from oauth_grants where id = ?', [used])).toEqual([
    { scope: 'mcp:read mcp:write offline_access', mayDelete: 0 },
  ])
  await shows('Create and edit on your behalf, without deleting')
})

test('owners find and sort the apps of a large organization, and see how many lose writing', async () => {
  const { server, browser, user, open } = await startSignedIn()
  const { orgId, email } = await sessionOf(browser)
  const times = [Date.now(), Date.now(), Date.now() + 86_400_000]
  await query(
    server,
    `with recursive n(i) as (select 10 union all select i + 1 from n where i < 69)
      insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at)
      select 'g' || i, 'c' || i, 'App ' || i, u.id, u.email, ?, 'mcp:read mcp:write', 'x', ?, ? + i, ? from n, users u where u.email = ?`,
    [orgId, ...times, email],
  )
  await open('/team/apps')
  const apps = await find('region', 'Connected apps')
  const names = () =>
    within(apps)
      .getAllByRole('row')
      .slice(1)
      .map(({ textContent }) => /App \d+/.exec(textContent ?? '')?.[0])
  await waitFor(() => expect(names()).toHaveLength(50))
  expect(names()[0]).toBe('App 69')
  await press('Load more', 'button', apps)
  await waitFor(() => expect(names()).toHaveLength(60))
  await press('Name', 'button', apps)
  await waitFor(() => expect(names()[0]).toBe('App 10'))
  await user.type(await find('searchbox', 'Search by name', apps), 'app 42')
  await waitFor(() => expect(names()).toEqual(['App 42']))
  await user.clear(await find('searchbox', 'Search by name', apps))
  await waitFor(() => expect(names()).toHaveLength(50))
  expect(document.activeElement).toBe(await find('searchbox', 'Search by name', apps))

  await press('Read-only apps', 'switch')
  const review = await find('dialog', 'Make apps read-only?')
  await shows('60 apps and tokens can no longer change data.', () => review)
  await find('heading', 'The latest 50 of 60 apps and tokens that may change data', review)
})
