import { describe, expect, test } from 'vitest'
import type { Connection } from '#fairway/shared/schemas/connection'
import { IS_PUBLISHED } from '../../layers/fairway/shared/package'
import { confirmAddress, addGrant, query } from '../support/query'
import { addMember } from '../support/team'
import { press } from './page'
import { expectNoViolations, screen, startSignedIn, waitFor, within } from './support'

const heading = (name: string) => screen.findByRole('heading', { level: 1, name })
const section = () => screen.findByRole('region', { name: 'Connected apps' })
const main = () => screen.getByRole('main')
const linkTo = async (name: string) => (await screen.findByRole<HTMLAnchorElement>('link', { name, hidden: true })).href
/** A host's instructions. */
const details = (id: string) =>
  waitFor(() => {
    const found = document.querySelector<HTMLDetailsElement>(`details#${id}`)
    if (!found) throw new Error(`no ${id}`)
    return found
  })

describe('Connect an assistant page', () => {
  test('is linked from the tools page, and the command palette leads back to the tools', async () => {
    const { open, user } = await startSignedIn()
    await open('/')
    await press('Tools', 'link', screen.getByRole('navigation', { name: 'Pages' }))
    await heading('Tools')
    await press('Connect an assistant', 'link', main())
    await heading('Connect an assistant')
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByPlaceholderText('Search pages and actions'), 'tools')
    await press('Tools', 'option', undefined)
    await heading('Tools')
  })

  test('shows and copies the exact server address', async () => {
    const { open, server } = await startSignedIn()
    await open('/connect')
    await press('Copy the server address')
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(`${server.origin}/mcp`))
    screen.getByText(`claude mcp add --transport http fairway ${server.origin}/mcp`)
  })

  test('explains why hosts could not be looked up and names the related setting', async () => {
    const { open, server } = await startSignedIn()
    await open('/connect')
    await screen.findByRole('heading', { name: 'Approve access' })
    expect(screen.queryByText(/could not look up an assistant/)).toBeNull()
    await query(
      server,
      `insert into oauth_document_outages (id, cause, failed_at) values ('documents', 'unreachable', ?)`,
      [Date.now()],
    )
    await open('/connect')
    const notice = (await screen.findByText(/could not look up an assistant/)).closest('[role=alert]')
    expect(notice?.textContent).toMatch(/could not look up an assistant.*this server can’t reach it/s)
    expect(notice?.textContent).toContain('FW_CLIENT_DOCUMENTS=off')
    await expectNoViolations(main())
  })

  test('links to Cursor and VS Code with the configuration filled in', async () => {
    const { open, server } = await startSignedIn()
    await open('/connect')
    const url = `${server.origin}/mcp`
    expect(atob(new URL(await linkTo('Add to Cursor')).searchParams.get('config') ?? '')).toBe(JSON.stringify({ url }))
    expect(decodeURIComponent(await linkTo('Add to VS Code'))).toBe(
      `vscode:mcp/install?${JSON.stringify({ name: 'fairway', type: 'http', url })}`,
    )
  })

  test('warns that hosts on other machines cannot reach a local address', async () => {
    const { open } = await startSignedIn()
    await open('/connect#claude')
    expect((await details('claude')).textContent).toMatch(
      /On the web, on the desktop.*This address works on this machine only/s,
    )
  })

  test('shows no command of a package that is missing on npm', async () => {
    const { open, server } = await startSignedIn()
    await open('/connect#stdio')
    await details('stdio').then(host => waitFor(() => expect(host.open).toBe(true)))
    screen.getByText(IS_PUBLISHED ? `npx nuxt-fairway mcp probe ${server.origin}/mcp` : `curl -i ${server.origin}/mcp`)
    expect(/npx|nuxt-fairway/.test(String(main().textContent))).toBe(IS_PUBLISHED)
  })

  test('does not mention a static token when none is set', async () => {
    const { open } = await startSignedIn()
    await open('/connect')
    await screen.findByRole('heading', { name: 'Approve access' })
    expect(screen.queryByRole('heading', { name: 'Without a browser' })).toBeNull()
  })

  test('explains how to send a static token without showing it', async () => {
    const ACCESS_TOKEN = 'bWFjaGluZXMtb25seS1mb3ItdGhpcy10ZXN0LTEyMzQ1'
    const { open } = await startSignedIn({ env: { ACCESS_TOKEN, FW_OWNER_EMAIL: 'ada@example.test' } })
    await open('/connect')
    await screen.findByRole('heading', { name: 'Without a browser' })
    expect(document.documentElement.outerHTML).not.toContain('bWFjaGluZXM')
  })
})

describe('connected apps', () => {
  test('show an empty state with a link to connect a host', async () => {
    const { open } = await startSignedIn()
    await open('/settings/apps')
    await within(await section()).findByText(/^No connected apps yet\./)
    await press('Connect an assistant', 'link', await section())
    await heading('Connect an assistant')
  })

  test('are listed with their permissions and revoked after a question', async () => {
    const { server, open, user, person } = await startSignedIn()
    await open('/notes')
    const { email } = person
    await addGrant(server, { email, clientName: 'Editor', clientId: 'https://editor.example/client.json' })
    await addGrant(server, { email, clientName: 'A'.repeat(120) })
    await open('/settings/apps')
    const row = await within(await section()).findByRole('row', { name: /^Editor/ })
    expect(row.textContent).toMatch(/editor\.example.*Ada's organization.*View everything you can view.*1 hour ago/s)
    await press('Details of Editor', 'button', row)
    const details = await screen.findByRole('dialog', { name: 'Editor' })
    expect(details.textContent).toMatch(
      /View everything you can view\s+Create, edit and delete on your behalf\s+Stay connected until you revoke access/,
    )
    await expectNoViolations(details)
    await press('Close', 'button', details)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await expectNoViolations(await section())
    await press('Actions for Editor', 'button', row)
    await press('Revoke', 'menuitem')
    const dialog = await screen.findByRole('dialog', { name: 'Revoke Editor?' })
    within(dialog).getByRole('button', { name: 'Revoke now' }).focus()
    await user.keyboard('{Enter}')
    await screen.findByText('Editor is no longer connected.')
    await waitFor(() => expect(screen.queryByText('Editor')).toBeNull())
    const [ended] = await query(server, `select revoked_at from oauth_grants where client_name = 'Editor'`)
    expect(ended?.revoked_at).not.toBeNull()
  })

  test('of the organization are listed for its owner with the connecting member and can be revoked', async () => {
    const { server, open, person } = await startSignedIn()
    await open('/notes')
    await addGrant(server, { email: person.email, clientName: 'Editor' })
    await open('/team/apps')
    const row = await within(await section()).findByRole('row', { name: /^Editor/ })
    expect(within(row).getByTitle('Ada · ada@example.test').textContent).toMatch(/Ada$/)
    await expectNoViolations(await section())
    await press('Actions for Editor', 'button', row)
    await press('Revoke', 'menuitem')
    await press('Revoke now', 'button', await screen.findByRole('dialog', { name: 'Revoke Editor?' }))
    await within(await section()).findByText(/^No member has connected an app yet/)
  })

  test('of the organization are hidden from members', async () => {
    const { server, open } = await startSignedIn()
    await open('/notes')
    await query(server, `update org_members set role = 'member'`)
    await open('/team')
    await screen.findByText('1 member')
    expect(screen.queryByRole('link', { name: 'Connected apps' })).toBeNull()
    await open('/team/apps')
    await screen.findByRole('heading', { name: "You don't have access to this section" })
    expect(screen.queryByRole('heading', { name: 'Connected apps' })).toBeNull()
  })
})

test('a credential is added, replaced and deleted', async () => {
  const { open, user } = await startSignedIn()
  await open('/connections?credential=openai')
  const value = async (text: string) => {
    const dialog = await screen.findByRole('dialog')
    await user.type(await within(dialog).findByLabelText('Value'), text)
    await press('Save', 'button', dialog)
  }
  await value('sk-live-0123456789abcdef')
  await screen.findByText('•••• cdef')
  // The application declares no check for it, so there is nothing to test.
  expect(screen.queryByRole('button', { name: 'Test openai' })).toBeNull()
  await press('Replace openai')
  await value('sk-live-0123456789new1')
  await screen.findByText('•••• new1')
  await press('Delete openai')
  const question = await screen.findByRole('dialog')
  expect(question.textContent).toContain('•••• new1')
  await press('Delete', 'button', question)
  await waitFor(() => expect(screen.queryByText('•••• new1')).toBeNull())
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a connection that its provider no longer renews leads to the provider again', async () => {
  const { open, intercept } = await startSignedIn({ env: { FW_OIDC_PROVIDERS: CORP } })
  const connection: Connection = {
    provider: 'corp',
    name: 'Corp',
    status: 'reconnect-required',
    account: 'ada@corp.test',
    requestedScopes: [],
    scopes: [],
    expiresAt: null,
    renewsItself: false,
    connectedAt: new Date().toISOString(),
    refreshedAt: null,
  }
  intercept(/^\/_fw\/connections$/, () => Response.json({ connections: [connection] }))
  await open('/connections')
  await screen.findByText('The provider no longer renews this connection.')
  const again = screen.getByRole('link', { name: 'Connect Corp again' })
  expect(again.getAttribute('href')).toMatch(/^\/_fw\/connections\/corp/)
  await expectNoViolations(main())
})

test('organization credentials are stored in the vault, and adding one starts in the name field', async () => {
  const { server, open, user } = await startSignedIn()
  await open('/connections')
  await press('Open the vault', 'link', undefined)
  await waitFor(() => expect(window.location.pathname).toBe('/team/vault'))
  await heading('Vault')
  await press('Add a credential')
  const dialog = await screen.findByRole('dialog')
  await waitFor(() => expect(document.activeElement).toBe(within(dialog).getByRole('textbox', { name: 'Name' })))
  await user.keyboard('mailer')
  await user.type(within(dialog).getByLabelText('Value'), 'key-0123456789abcd')
  await press('Save', 'button', dialog)
  await screen.findByText('•••• abcd')
  expect(await query(server, 'select key from vault_credentials where org_id is not null')).toMatchObject([
    { key: 'mailer' },
  ])
  await query(server, `update vault_credentials set key_id = 'gone', ciphertext = 'gone'`)
  await open('/team/vault')
  await screen.findByText('Unreadable')
  await expectNoViolations(main())
})

test('the audit log distinguishes confirmation requests from failures and counts repeated denials', async () => {
  const { server, open, browser, person } = await startSignedIn({ env: { FW_OIDC_PROVIDERS: CORP } })
  const member = await addMember(server, browser, 'Grace')
  await confirmAddress(server, person.email)
  const asked = await browser.request('/_fw/org/auth-provider', { method: 'PUT', json: { provider: 'corp' } })
  expect(asked.status).toBe(409)
  for (let again = 0; again < 6; again++) await member.post('/_fw/actions/purge-archive', { json: { dryRun: false } })
  const rows = (text: RegExp) => screen.queryAllByRole('row').filter(row => text.test(String(row.textContent)))
  await open('/audit')
  await waitFor(() =>
    expect(rows(/Ada was asked to confirm.*Asked to confirm|Asked to confirm.*Ada was asked/s)).toHaveLength(1),
  )
  // A new count begins each hour, so there can be rows of both hours.
  expect(rows(/Denied.*[2-5] times|[2-5] times.*Denied/s)).not.toEqual([])
  await open('/audit?outcome=asked')
  await waitFor(() => expect(rows(/Ada was asked to confirm/)).toHaveLength(1))
  expect([rows(/Denied/).length, rows(/Asked to confirm/).length]).toEqual([0, 1])
})

const CORP = JSON.stringify([
  { id: 'corp', name: 'Corp', issuer: 'https://corp.test', clientId: 'c', clientSecret: 's' },
])
