import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type RequestOptions, type Server } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toAppError } from '#fairway/server/kernel/http/app-error'
import { checkOwnMachine, SENT_FROM, THIS_MACHINE } from '#fairway/server/kernel/http/own-machine'

let isOwnMachine = true
const answer = (incoming: IncomingMessage): string => {
  try {
    checkOwnMachine(incoming, { isOwnMachine })
    return 'ok'
  } catch (thrown) {
    return `${toAppError(thrown).code}: ${toAppError(thrown).detail ?? ''}`
  }
}
const listening = async (place: { port: number; host?: string } | { path: string }): Promise<Server> => {
  const server = createServer((incoming, outgoing) => outgoing.end(answer(incoming)))
  server.listen(place)
  await once(server, 'listening')
  return server
}

let server: Server
let thread: Server
let port: number
const socketPath = join(mkdtempSync(join(tmpdir(), 'fw-own-')), 'thread.sock')
beforeAll(async () => {
  server = await listening({ port: 0, host: '0.0.0.0' })
  thread = await listening({ path: socketPath })
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => Promise.all([server, thread].map(each => each.close())))

async function ask(headers: Record<string, string> = {}, place: RequestOptions = { host: '127.0.0.1', port }) {
  const sent = request({ ...place, headers: { host: `localhost:${port}`, ...headers } })
  sent.end()
  const [received] = await once(sent, 'response')
  let text = ''
  for await (const chunk of received) text += String(chunk)
  return text
}

describe('checkOwnMachine', () => {
  it.each<Record<string, string>>([{}, { host: '127.0.0.1:3000' }, { host: '[::1]:3000' }])(
    'accepts a program on this machine: %j',
    async headers => {
      expect(await ask(headers)).toBe('ok')
    },
  )

  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded-server',
    'x-forwarded',
    'x-real-ip',
    'x-client-ip',
    'x-cluster-client-ip',
    'x-original-host',
    'x-original-forwarded-for',
    'true-client-ip',
    'cf-connecting-ip',
    'cf-connecting-ipv6',
    'cf-ray',
    'cdn-loop',
    'fly-client-ip',
    'fastly-client-ip',
  ])('refuses a request with the header %s, whatever its value', async name => {
    for (const value of ['127.0.0.1', '203.0.113.9', 'localhost', ''])
      expect(await ask({ [name]: value })).toMatch(new RegExp(`^forbidden: .*tunnel \\(${name}\\)`))
  })

  it.each(['rebound.example.com', '192.168.1.20:3000', 'localhost.evil.example'])(
    'refuses a host name that does not belong to this machine: %s',
    async host => {
      expect(await ask({ host })).toMatch(/^forbidden: Open this at localhost/)
    },
  )

  it('refuses requests from another machine', async context => {
    const addresses = Object.values(networkInterfaces()).flat()
    const outside = addresses.find(address => address?.family === 'IPv4' && !address.internal)
    if (!outside) return context.skip()
    expect(await ask({}, { host: outside.address, port })).toMatch(/^forbidden: Open this on the machine/)
  })

  it('refuses all requests while the server listens to other machines', async () => {
    isOwnMachine = false
    expect(await ask()).toMatch(/^forbidden: The server listens to others/)
    isOwnMachine = true
  })

  it('trusts the sender header only on a Unix socket', async () => {
    expect(await ask({ [SENT_FROM]: THIS_MACHINE, 'x-forwarded-for': '127.0.0.1' }, { socketPath })).toBe('ok')
    expect(await ask({ [SENT_FROM]: 'a tunnel' }, { socketPath })).toBe('forbidden: a tunnel')
    expect(await ask({}, { socketPath })).toMatch(/^forbidden/)
    expect(await ask({ [SENT_FROM]: THIS_MACHINE, via: '1.1 proxy' })).toMatch(/^forbidden: .*via/)
  })
})
