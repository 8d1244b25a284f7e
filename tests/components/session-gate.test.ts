import { expect, onTestFinished, test } from 'vitest'
import { type OpenedApp, screen, startApp, startSignedIn, waitFor, within } from './support'

const SESSION = /^\/_fw\/session$/
const heading = () => screen.getByRole('heading', { level: 1 })
const never = () => new Promise<never>(() => undefined)
const focus = () => window.dispatchEvent(new Event('focus'))
const endSession = async ({ browser }: OpenedApp) => browser.request('/_fw/session', { method: 'DELETE' })

test('the session gate redirects a signed-out visitor once to the sign-in page with path, query and hash', async () => {
  const { open, left, requests } = await startApp()
  await open('/notes?view=archived&x=a%26b#top')
  expect(left).toEqual(['/sign-in?return=%2Fnotes%3Fview%3Darchived%26x%3Da%2526b%23top'])
  // Components inside the gate have sent no requests.
  expect(requests).toEqual(['GET /_fw/session'])
})

test.each<[string, () => Response | Promise<Response>]>([
  ['the server answers 503', () => new Response('down', { status: 503 })],
  ['the answer is a page of something in between', () => new Response('<p>proxy</p>')],
  ['the network fails', () => Promise.reject(new TypeError('refused'))],
])('the session gate reports an unreachable server when %s and never signs out', async (_, answer) => {
  const { open, left, intercept, user } = await startSignedIn()
  const heal = intercept(SESSION, answer)
  await open('/notes')
  expect(heading().textContent).toBe('Could not reach the server')
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(heading().textContent).toBe('Could not reach the server')
  heal()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(heading().textContent).toBe('Notes'))
  expect(left).toEqual([])
})

test('the session gate reports an unreachable server when there is no answer within ten seconds', async () => {
  const { open, intercept } = await startSignedIn()
  const limits: number[] = []
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  onTestFinished(() => void (AbortSignal.timeout = timeout))
  // Limits on this page end twenty times sooner.
  AbortSignal.timeout = milliseconds => timeout(limits.push(milliseconds) && milliseconds / 20)
  intercept(SESSION, never)
  await open('/notes')
  expect(heading().textContent).toBe('Could not reach the server')
  expect(limits).toEqual([10_000])
})

test('a session that ended elsewhere is noticed when the tab regains focus', async () => {
  const app = await startSignedIn()
  await app.open('/notes')
  await endSession(app)
  focus()
  await waitFor(() => expect(app.left).toEqual(['/sign-in?return=%2Fnotes']))
})

test('a session that ended elsewhere is noticed by the next request', async () => {
  const app = await startSignedIn()
  await app.open('/notes')
  await screen.findByText('No notes yet')
  await endSession(app)
  await app.user.click(screen.getByRole('button', { name: 'Archive' }))
  await waitFor(() => expect(app.left[0]).toMatch(/^\/sign-in\?return=%2Fnotes/))
})

test('a short outage does not remove the page of a signed-in person', async () => {
  const { open, user, intercept, left, requests } = await startSignedIn()
  await open('/notes/new')
  await user.type(screen.getByRole('textbox', { name: 'Title' }), 'Half a thought')
  intercept(SESSION, () => new Response('down', { status: 503 }))
  requests.length = 0
  focus()
  await waitFor(() => expect(requests).toContain('GET /_fw/session'))
  await user.type(screen.getByRole('textbox', { name: 'Title' }), ' and more')
  expect(screen.getByRole('textbox', { name: 'Title' })).toHaveProperty('value', 'Half a thought and more')
  expect(left).toEqual([])
})

test('an unknown page shows a message inside the layout with working navigation', async () => {
  const { open, user } = await startSignedIn()
  await open('/no/such/page')
  expect(heading().textContent).toBe('There is no page at this address')
  await user.click(within(screen.getByRole('navigation')).getByRole('link', { name: 'Notes' }))
  await waitFor(() => expect(heading().textContent).toBe('Notes'))
})

test('an unknown page shows the message to a signed-out visitor too', async () => {
  const { open, left } = await startApp()
  await open('/no/such/page')
  expect(heading().textContent).toBe('There is no page at this address')
  expect(left).toEqual([])
})

test('a person with terms to accept is sent to them before a private page', async () => {
  const { open, left, intercept, browser } = await startSignedIn()
  // The sample declares no terms.
  intercept(SESSION, async () => {
    const { session } = await (await browser.get('/_fw/session')).json()
    return Response.json({ session: { ...session, termsDue: true } })
  })
  await open('/notes')
  expect(left).toEqual(['/_fw/terms?return=%2Fnotes'])
  expect((await browser.get('/_fw/terms?return=%2Fnotes')).headers.get('location')).toBe('/notes')
})
