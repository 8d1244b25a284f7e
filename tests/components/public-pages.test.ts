import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EMBED_PATH } from '#fairway/shared/paths'
import { plainRequest } from '../support/http'
import { readOutbox } from '../support/mail'
import { press } from './page'
import { screen, startApp, startSignedIn, waitFor } from './support'

test('the contact form is sent with the keyboard, validates its fields, confirms the message and can be sent again', async () => {
  const { server, open, user } = await startApp()
  const mails = () => (existsSync(join(server.dataDir, 'outbox')) ? readOutbox(server.dataDir) : [])
  const focused = (element: HTMLElement) => waitFor(() => expect(document.activeElement).toBe(element))
  await open('/contact')
  await press('Send message')
  await waitFor(() => expect(screen.getAllByText('Enter a value.')).toHaveLength(3))
  await focused(screen.getByLabelText('Name'))
  await user.keyboard('Maria Ortiz')
  await user.tab()
  await user.keyboard('not an address')
  await user.tab()
  await user.keyboard('Could you show us the product?')
  // Tab skips the hidden field.
  await user.tab()
  await focused(screen.getByRole('button', { name: 'Send message' }))
  await user.keyboard('{Enter}')
  await screen.findByText('Enter an email address.')
  expect(mails()).toEqual([])
  await user.clear(screen.getByLabelText('Email'))
  await user.type(screen.getByLabelText('Email'), 'maria@example.com{Enter}')
  await screen.findByRole('heading', { name: 'Message sent' })
  await waitFor(() => expect(document.activeElement).toHaveProperty('role', 'status'))
  await waitFor(() => expect(mails().map(({ subject }) => subject)).toEqual(['Message from Maria Ortiz']))
  await press('Send another message')
  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Message' })).value).toBe('')
})

test('the contact form reports a failure in the language of the page', async () => {
  const { open, user, intercept } = await startApp()
  intercept(/form-ticket/, () => Promise.reject(new TypeError('refused')))
  localStorage.setItem('fairway-language', 'de')
  await open('/contact')
  await user.type(await screen.findByLabelText('E-Mail'), 'maria@example.com')
  await user.type(screen.getByLabelText('Name'), 'Maria Ortiz')
  await user.type(screen.getByLabelText('Nachricht'), 'Guten Tag')
  await press('Nachricht senden')
  await screen.findByText('Ihre Nachricht wurde nicht gesendet')
  expect(screen.getByLabelText<HTMLInputElement>('Nachricht').value).toBe('Guten Tag')
})

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
