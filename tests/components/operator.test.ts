import { expect, test } from 'vitest'
import { SESSION_PATH } from '#fairway/shared/paths'
import { createBrowser, sessionOf, signUp } from '../support/http'
import { aPerson } from '../support/people'
import { confirmAddress, countRows, query } from '../support/query'
import { expectNoViolations, type OpenedApp, screen, startSignedIn, waitFor, within } from './support'

const olga = aPerson('Olga')
const ada = aPerson()

/** The console of an operator, with one other person. */
async function startOperator() {
  const app = await startSignedIn({ env: { FW_OPERATORS: olga.email } }, olga)
  await confirmAddress(app.server, olga.email)
  const adas = createBrowser(app.server.origin)
  await signUp(adas, ada)
  // The first session creates her organization.
  await sessionOf(adas)
  return { ...app, adas }
}

const press = async ({ user }: OpenedApp, name: string | RegExp, place = screen) =>
  user.click(await place.findByRole('button', { name }))

/** Gives the reason that a dialog asks for and presses its button. */
async function confirm(app: OpenedApp, title: string, button: string, reason?: string): Promise<void> {
  const dialog = within(await screen.findByRole('dialog', { name: title }))
  if (reason) await app.user.type(dialog.getByLabelText(/^Reason/), reason)
  await app.user.click(dialog.getByRole('button', { name: button }))
}

test('an operator finds a person, suspends the account with a reason and ends the suspension', async () => {
  const app = await startOperator()
  const suspension = () =>
    query(app.server, 'select suspended_reason as reason from users where email = ?', [ada.email])
  await app.open('/operator')
  await app.user.type(screen.getByRole('searchbox', { name: 'Name or address' }), 'ada@')
  await waitFor(() => expect(screen.queryByRole('button', { name: `Open ${olga.email}` })).toBeNull())
  await press(app, `Open ${ada.email}`)
  await press(app, 'Suspend')
  await confirm(app, `Suspend ${ada.email}?`, 'Suspend', 'An unpaid bill')
  await screen.findAllByText('The account is suspended.')
  expect(await suspension()).toEqual([{ reason: 'An unpaid bill' }])
  expect(await (await app.adas.get(SESSION_PATH)).json()).toEqual({ session: null })

  await press(app, 'Reactivate')
  await confirm(app, `Reactivate ${ada.email}?`, 'Reactivate')
  await screen.findAllByText('The account was reactivated.')
  expect(await suspension()).toEqual([{ reason: null }])
})

test('people and organizations are tables with their second factor, last sign-in, members and totals', async () => {
  const app = await startOperator()
  await app.open('/operator')
  const people = await screen.findByRole('table', { name: 'People' })
  const row = within(people).getByRole('row', { name: /^Ada/ })
  expect(
    within(row)
      .getAllByRole('cell')
      .map(each => each.textContent?.trim()),
  ).toEqual([
    expect.stringMatching(/^A\s*Ada\s*Not confirmed$/),
    "Ada's organization",
    'Off',
    expect.stringMatching(/ago|now/),
    '',
  ])
  expect(within(row).getByTitle(ada.email)).toBeDefined()
  await screen.findByText('2 accounts')
  await expectNoViolations(people)

  await app.open('/operator/organizations')
  const organizations = await screen.findByRole('table', { name: 'Organizations' })
  const names = () =>
    within(organizations)
      .getAllByRole('row')
      .slice(1)
      .map(each => each.textContent?.match(/(Ada|Olga)'s/)?.[1])
  await app.user.click(within(organizations).getByRole('button', { name: 'Organization' }))
  await waitFor(() => expect(names()).toEqual(['Ada', 'Olga']))
  await app.user.click(within(organizations).getByRole('button', { name: 'Organization' }))
  await waitFor(() => expect(names()).toEqual(['Olga', 'Ada']))
  const listed = within(organizations).getByRole('row', { name: /Ada's organization A?\s*Ada 1 In use/ })
  expect(within(listed).getByTitle(`Ada · ${ada.email}`)).toBeDefined()
  await screen.findByText('2 organizations')
})

test('a failed job is one row that opens its error and is retried from its menu', async () => {
  const app = await startOperator()
  await query(
    app.server,
    `insert into fw_jobs (id, name, state, attempts, most_attempts, run_at, input, error, created_at, finished_at, org_id)
      select 'j', 'fw-send-mail', 'failed', 3, 3, unixepoch() * 1000, '{"mailId":"none"}', 'The disk is full.', ?1, ?1, id
      from organizations where name like 'Ada%'`,
    [Date.now()],
  )
  await app.open('/operator/jobs')
  await press(app, 'Details of fw-send-mail')
  const details = await screen.findByRole('dialog', { name: 'fw-send-mail' })
  expect(details.textContent).toContain('The disk is full.')
  expect(details.textContent).toContain("Ada's organization")
  await app.user.click(within(details).getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await press(app, 'Actions for fw-send-mail')
  await app.user.click(await screen.findByRole('menuitem', { name: 'Retry' }))
  await screen.findByText('The job was queued again.')
})

test('an operator views the application as a person, cannot change it, and returns', async () => {
  const app = await startOperator()
  await app.open('/operator')
  await press(app, `Open ${ada.email}`)
  await press(app, 'View as')
  await confirm(app, `View as ${ada.email}?`, 'View as', 'Ticket 4711')
  await waitFor(() => expect(app.left).toHaveLength(1))
  await app.open('/tools/create-note')
  const banner = await screen.findByRole('complementary', { name: 'View as' })
  expect(banner.textContent).toContain('30 minutes left')
  await press(app, 'Try create-note')
  await app.user.type(await screen.findByRole('textbox', { name: 'Title' }), 'In her name')
  await press(app, 'Create a note')
  await screen.findAllByText(/You are viewing as another person\./)
  expect(await countRows(app.server, 'notes')).toBe(0)
  await app.user.click(within(banner).getByRole('button', { name: 'Stop viewing' }))
  await waitFor(() => expect(app.left).toEqual(['/operator']))
  await app.open('/operator')
  expect(screen.queryByRole('complementary', { name: 'View as' })).toBeNull()
})
