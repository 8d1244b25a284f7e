import { expect, test } from 'vitest'
import { sessionOf } from '../support/http'
import { confirmAddress, addGrant, query } from '../support/query'
import { createTeamWorld } from '../support/team'
import { find, press } from './page'
import { screen, startSignedIn, waitFor, within } from './support'

const shows = (element: HTMLElement | undefined, text: string) =>
  waitFor(() => expect(element?.textContent).toContain(text))

test('home shows the newest notes first and visible activity, without private data of other people', async () => {
  const { server, browser, open, user, person } = await startSignedIn()
  await confirmAddress(server, person.email)
  const { userId } = await sessionOf(browser)
  const world = createTeamWorld(server)
  const ada = { browser, email: person.email, userId }
  const { browser: maria } = await world.join(ada, 'member', await world.person({ name: 'Maria' }))
  const run = (who: typeof maria, name: string, json: object) => who.post(`/_fw/actions/${name}`, { json })
  await run(browser, 'create-note', { title: 'Long ago', pinned: true })
  await run(browser, 'create-note', { title: 'Newest' })
  await run(maria, 'create-note', { title: 'Weekly metrics' })
  await run(maria, 'create-note', { title: 'My dismissal' })
  const [note] = await query(server, `select id from notes where title = 'Weekly metrics'`)
  await run(maria, 'set-note-visibility', { id: note?.id, visibility: 'org' })

  await open('/')
  const latest = await within(await find('region', 'Latest notes')).findAllByRole('listitem')
  await shows(latest[0], 'Weekly metrics')
  await shows(latest[1], 'Newest')
  await shows(latest[2], 'Pinned')
  const feed = () => find('region', 'Activity')
  await shows(await feed(), 'Maria made Weekly metrics visible to the organization')
  within(await feed()).getByRole('heading', { name: 'Today' })
  expect(screen.getByRole('main').textContent).not.toContain('dismissal')

  await press('New note', 'link', undefined)
  await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'From home')
  await screen.findByText('Saved')
  await press('Home', 'link', undefined)
  await shows(await feed(), 'Ada created From home')
})

test('getting-started steps complete automatically, can be dismissed and restored, and stay dismissed after a reload', async () => {
  const { server, browser, open, person } = await startSignedIn()
  await open('/')
  const steps = () => find('region', 'Get started')
  await shows(await steps(), '0 of 3 done')
  await confirmAddress(server, person.email)
  await browser.post('/_fw/org/invitations', { json: { email: 'grace@example.test', role: 'member' } })
  await addGrant(server, { email: person.email, clientName: 'Claude' })
  await open('/')
  await shows(await steps(), '2 of 3 done')
  const dismiss = async () => {
    await press('Dismiss', 'button', await steps())
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Get started' })).toBeNull())
  }
  await dismiss()
  await press('Undo')
  await dismiss()
  await open('/')
  await find('region', 'Activity')
  expect(screen.queryByRole('region', { name: 'Get started' })).toBeNull()
})

test('home asks to confirm the address, and invitations appear only in the banner', async () => {
  const { server, open, person } = await startSignedIn()
  const world = createTeamWorld(server)
  const olga = await world.person({ name: 'Olga' })
  await open('/')
  await press('Email me a link', 'button', await find('region', 'Needs your attention'))
  await shows(await find('region', 'Messages'), `on its way to ${person.email}`)

  await confirmAddress(server, person.email)
  await olga.browser.post('/_fw/org/invitations', { json: { email: person.email, role: 'member' } })
  await open('/')
  const banner = await find('region', 'Waiting for you')
  await shows(banner, 'Olga')
  expect(screen.getByRole('main').textContent).not.toContain('Olga')
  expect(screen.queryByRole('region', { name: 'Needs your attention' })).toBeNull()
  await press(/^Decline/, 'button', banner)
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Waiting for you' })).toBeNull())
})
