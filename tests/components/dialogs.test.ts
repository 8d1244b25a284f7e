import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { actionPath } from '#fairway/shared/paths'
import { count, find, openSignedIn, shows } from './page'
import { screen, startSignedIn, waitFor, within } from './support'

/** The page of a dialog, the button that opens it, and the role and name of the element that then has the focus. */
const DIALOGS = [
  ['/notes', 'Share “Harbour plan”', 'combobox', 'Member'],
  ['/team', 'Invite people', 'textbox', 'Email addresses'],
  ['/team/roles', 'Assign role', 'combobox', 'Member'],
  ['/team/danger', 'Transfer', 'combobox', 'New owner'],
  ['/team/webhooks', 'Add webhook', 'textbox', 'URL'],
  ['/connections', 'Add a credential', 'textbox', 'Name'],
  ['/settings/apps', 'Create a token', 'textbox', 'Name'],
] as const

async function openByKey(name: string): Promise<void> {
  const [button] = await screen.findAllByRole('button', { name })
  button?.focus()
  await userEvent.keyboard('{Enter}')
}

test('a dialog focuses its first field, and Enter does not close it', async () => {
  const { open, browser } = await startSignedIn()
  await browser.post(actionPath('create-note'), { json: { title: 'Harbour plan' } })
  for (const [path, button, role, name] of DIALOGS) {
    await open(path)
    await openByKey(button)
    const dialog = await find('dialog')
    const hasFocus = () => expect(document.activeElement, path).toBe(within(dialog).queryAllByRole(role, { name })[0])
    await waitFor(hasFocus)
    await userEvent.keyboard('{Enter}')
    expect(count('dialog')).toBe(1)
  }
})

test('a dialog without fields takes the focus itself, and Enter does not close it', async () => {
  await openSignedIn('/settings/apps')
  await openByKey('Create a token')
  await waitFor(async () => expect(document.activeElement).toBe(await find('textbox', 'Name')))
  await userEvent.keyboard('Backup script{Enter}')
  await shows('Your new token', () => find('dialog'))
  await waitFor(async () => expect(document.activeElement).toBe(await find('dialog')))
  await userEvent.keyboard('{Enter}{Enter}')
  await shows('Your new token', () => find('dialog'))
})
