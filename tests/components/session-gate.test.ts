import { expect, test } from 'vitest'
import { screen, startApp, startSignedIn, waitFor } from './support'

const SESSION = /^\/_fw\/session$/
const heading = () => screen.getByRole('heading', { level: 1 })

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
