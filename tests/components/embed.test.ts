import { expect, test } from 'vitest'
import { EMBED_PATH } from '#fairway/shared/paths'
import { plainRequest } from '../support/http'
import { screen, startApp, startSignedIn, waitFor } from './support'

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', accept: 'text/html' }

const says = (role: string, text: string) =>
  waitFor(() =>
    expect(screen.getAllByRole(role).map(({ textContent }) => textContent)).toContainEqual(
      expect.stringContaining(text),
    ),
  )

test('an embed page without a token shows a message instead of the sign-in page', async () => {
  const { open, left } = await startApp()
  await open('/embed/notes')
  await screen.findByRole('heading', { name: 'Nothing to show here' })
  expect(left).toEqual([])
})

test('an embed page shows loading, reports a failure and retries', async () => {
  const { open, browser, intercept, requests, user } = await startSignedIn()
  await browser.post('/_fw/actions/create-note', { json: { title: 'Harbour plan' } })
  const { url } = await (await browser.post(`${EMBED_PATH}/tickets`, { json: { path: '/embed/notes' } })).json()
  const framed = await plainRequest(url, { headers: NAVIGATION })
  const held = Promise.withResolvers<Response>()
  const release = intercept(/^\/_fw\/actions\/list-notes/, () => held.promise)
  await open(framed.headers.get('location') ?? '')
  await says('status', 'Loading')
  held.resolve(new Response('proxy', { status: 503 }))
  await says('alert', 'The notes could not be loaded.')
  release()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByRole('heading', { name: 'Harbour plan' })
  expect(requests.filter(request => request.includes('/_fw/session'))).toEqual([])
})
