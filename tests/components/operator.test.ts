import { expect, test } from 'vitest'
import { SESSION_PATH } from '#fairway/shared/paths'
import { createBrowser, signUp } from '../support/http'
import { aPerson } from '../support/people'
import { confirmAddress, countRows, query } from '../support/query'
import { type OpenedApp, screen, startSignedIn, waitFor, within } from './support'

const olga = aPerson('Olga')
const ada = aPerson()

/** The console of an operator, with one other person. */
async function startOperator() {
  const app = await startSignedIn({ env: { FW_OPERATORS: olga.email } }, olga)
  await confirmAddress(app.server, olga.email)
  const adas = createBrowser(app.server.origin)
  await signUp(adas, ada)
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
