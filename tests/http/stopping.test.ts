import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createBrowser, userAgents } from '../support/http'
import { startSmtp } from '../support/mail'
import { query } from '../support/query'
import { startServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'
import { serveSilence } from '../support/web-server'

/** Opens a request: the server has its head and not yet its body. */
async function openRequest(origin: string, path: string, body: string, cookie: string) {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\norigin: ${origin}\r\ncookie: ${cookie}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nexpect: 100-continue\r\n\r\n`,
  )
  let received = ''
  socket.on('data', chunk => (received += String(chunk)))
  await expect.poll(() => received).toContain('100 Continue')
  return {
    received: () => received,
    async finish() {
      socket.write(body)
      await once(socket, 'close')
      return received
    },
  }
}

it('finishes and closes open requests, rejects new ones, ends streams first and exits with 0', async () => {
  const server = await startServer()
  const { browser } = await createTeamWorld(server).person()
  const open = await openRequest(server.origin, '/_fw/actions/create-note', '{"title":"late"}', browser.cookieHeader())
  const stream = await browser.get('/_fw/changes')
  const told = stream.text()
  const stopped = server.stop()
  expect(await told).toMatch(/event: end\ndata: {"reason":"stopping"}/)
  await expect(fetch(`${server.origin}/_fw/health/live`)).rejects.toThrow()
  const answer = await open.finish()
  expect(answer).toMatch(/HTTP\/1\.1 200 [^]*connection: close/i)
  const { code, milliseconds } = await stopped
  expect([code, milliseconds < 10_000]).toEqual([0, true])
  expect(await query(server, 'select title from notes')).toMatchObject([{ title: 'late' }])
  expect(server.log().trimEnd().split('\n').at(-1)).toContain('"message":"stopped"')
})

it('exits immediately on a second stop signal', async () => {
  const server = await startServer()
  const { browser } = await createTeamWorld(server).person()
  await openRequest(server.origin, '/_fw/actions/create-note', '{"title":"never"}', browser.cookieHeader())
  const first = server.stop()
  const isAway = () =>
    fetch(`${server.origin}/_fw/health/live`).then(
      () => false,
      () => true,
    )
  await expect.poll(isAway).toBe(true)
  await new Promise(resolve => setTimeout(resolve, 400))
  void server.stop()
  const { code, milliseconds } = await first
  expect(code).toBe(143)
  expect(milliseconds).toBeLessThan(4000)
  expect(await query(server, 'select title from notes')).toEqual([])
})

it('sends emails in progress before it exits and keeps the others queued', async () => {
  const smtp = await startSmtp()
  const env = { SMTP_URL: smtp.url, EMAIL_FROM: 'App <app@example.test>' }
  const server = await startServer({ env })
  const people = Array.from({ length: 5 }, (_, index) => `person${index}@example.test`)
  const browser = createBrowser(server.origin)
  for (const email of people) {
    expect((await browser.post('/_fw/auth/sign-in/magic-link', { json: { email } })).status).toBe(200)
  }
  expect((await server.stop()).code).toBe(0)
  const waiting = await query(server, 'select id from mail_outbox where failed_at is null')
  expect(smtp.received.length + waiting.length).toBe(people.length)
  expect(server.log()).not.toContain('is tried again')
  await smtp.stop()
})

it('stops soon while the mail server hangs, which also delays no sign-in on a new device', async () => {
  const silent = await serveSilence()
  const env = { SMTP_URL: `smtp://127.0.0.1:${silent.port}`, EMAIL_FROM: 'no-reply@example.test' }
  const server = await startServer({ env })
  const { email } = await createTeamWorld(server).person()
  const signIn = async (userAgent: string) => {
    const headers = { 'user-agent': userAgent }
    const json = { email, password: PASSWORD }
    const answer = await createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json, headers })
    return answer.status
  }
  expect(await signIn(userAgents.firefoxOnLinux)).toBe(200)
  const began = performance.now()
  expect(await signIn(userAgents.safariOnPhone)).toBe(200)
  expect(performance.now() - began).toBeLessThan(3000)
  const { code, milliseconds } = await server.stop()
  expect([code, milliseconds < 10_000]).toEqual([0, true])
  await silent.stop()
})
