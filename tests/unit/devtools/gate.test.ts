import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, type IncomingMessage, createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { checkOwnMachine } from '#fairway/server/devtools/gate'
import { toAppError } from '#fairway/server/kernel/http/app-error'

let server: Server
let origin: string
let port: number
let isOwnMachine = true
beforeAll(async () => {
  const answer = (incoming: IncomingMessage): string => {
    try {
      checkOwnMachine(incoming, { isOwnMachine, baseUrl: origin })
      return 'ok'
    } catch (thrown) {
      return `${toAppError(thrown).code}: ${toAppError(thrown).detail ?? ''}`
    }
  }
  server = createServer((incoming, outgoing) => outgoing.end(answer(incoming)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
  origin = `http://localhost:${port}`
})
afterAll(() => server.close())

async function ask(headers: Record<string, string> = {}, method = 'GET'): Promise<string> {
  const sent = request({ host: '127.0.0.1', port, method, headers: { host: `localhost:${port}`, ...headers } })
  sent.end()
  const [answer] = await once(sent, 'response')
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return text
}

describe('the gate of the DevTools', () => {
  it.each([
    ['a browser at localhost', {}],
    ['one at an address of this machine', { host: '127.0.0.1:3000' }],
    ['a page of ours', { 'sec-fetch-site': 'same-origin' }],
    ['Nuxt, which names this machine', { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost:3000' }],
  ])('lets %s in', async (_, headers) => {
    expect(await ask(headers)).toBe('ok')
  })

  it.each([
    ['a name that was made to point here', { host: 'rebound.example.com' }, 'localhost'],
    ['an address in the network', { host: '192.168.1.20:3000' }, 'localhost'],
    ['a tunnel', { 'x-forwarded-for': '203.0.113.9' }, 'machine'],
    ['a tunnel that keeps its own name', { 'x-forwarded-host': 'abc.trycloudflare.com' }, 'localhost'],
    ['a proxy', { via: '1.1 proxy' }, 'via'],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 'Another site'],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }, 'Another site'],
  ])('refuses %s, and says so', async (_, headers, said) => {
    expect(await ask(headers)).toMatch(new RegExp(`^forbidden: .*${said}`))
  })

  it('refuses what comes from another origin, whatever the method', async () => {
    for (const method of ['GET', 'POST'])
      expect(await ask({ origin: 'http://localhost:4321' }, method)).toMatch(/^forbidden: Another site/)
    expect(await ask({ origin, 'sec-fetch-site': 'same-origin', cookie: 'fw.session=1' }, 'POST')).toBe('ok')
  })

  it('refuses everybody while the server listens to others', async () => {
    isOwnMachine = false
    expect(await ask()).toMatch(/^forbidden: The server listens to others/)
    isOwnMachine = true
  })
})
