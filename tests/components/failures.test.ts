import { expect, test } from 'vitest'
import { count, find, press, shows } from './page'
import { startSignedIn, waitFor } from './support'

/** Sections that load rows: the page, the request that fails, and the section's message. */
const SECTIONS: [path: string, request: RegExp, text: string][] = [
  ['/notes', /note-list/, 'Your notes could not be loaded.'],
  ['/team', /team-members/, 'The members could not be loaded.'],
  ['/connect', /_fw\/mcp\/endpoint/, 'The server address could not be loaded.'],
  ['/settings/apps', /_fw\/grants/, 'The connected apps could not be loaded.'],
  ['/settings/apps', /_fw\/tokens/, 'Your tokens could not be loaded.'],
  ['/settings/security#devices', /_fw\/sessions/, 'Your devices could not be loaded.'],
]
const busy = () => new Response('busy', { status: 503 })

test('failed home sections keep their place, explain the failure and retry, all in the same way', async () => {
  const { open, intercept } = await startSignedIn()
  const heal = intercept(/list-notes|_fw\/activity|_fw\/org\/checklist|_fw\/connections/, busy)
  await open('/')
  const names = ['Needs your attention', 'Get started', 'Latest notes', 'Activity']
  for (const name of names) {
    const notice = async () => find('alert', undefined, await find('region', name))
    await shows(/could(n’t| not) be loaded.*unreadable-answer/, notice)
  }
  heal()
  for (const name of names) await press('Try again', 'button', await find('region', name))
  await waitFor(() => expect(count('alert')).toBe(0))
})

test('a refusal is shown as one sentence without a code', async () => {
  const { open, intercept } = await startSignedIn()
  const problem = {
    type: 'urn:fairway:error:forbidden',
    title: 'No.',
    status: 403,
    code: 'forbidden',
    requestId: '0198',
  }
  intercept(/_fw\/tokens/, () => Response.json(problem, { status: 403 }))
  await open('/settings/apps')
  await shows('Your tokens could not be loaded.', () => find('alert'))
  expect((await find('alert')).textContent).not.toMatch(/0198|\bforbidden\b/)
})

test('every section reports that it could not be loaded and retries', async () => {
  const { open, intercept } = await startSignedIn()
  for (const [path, request, text] of SECTIONS) {
    const heal = intercept(request, busy)
    await open(path)
    await shows(text)
    heal()
    await press('Try again')
    await waitFor(() => expect(document.body.textContent).not.toContain(text))
  }
})
