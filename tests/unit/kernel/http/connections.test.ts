import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitConnections } from '#fairway/server/kernel/http/connections'

const IDLE_IN_MS = 3000
const HEADERS_IN_MS = 500
const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'

let server: Server

beforeAll(async () => {
  server = createServer({ connectionsCheckingInterval: 50 }, (request, response) => {
    limitConnections(request, { idleConnectionsInMs: IDLE_IN_MS }, HEADERS_IN_MS)
    response.end()
  }).listen(0)
  await once(server, 'listening')
})
afterAll(() => server.close())

async function afterOneRequest(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port)
  socket.write(REQUEST)
  await once(socket, 'data')
  return socket
}

describe('limitConnections', () => {
  it('keeps an idle connection open for longer than the header time limit', async () => {
    const socket = await afterOneRequest()
    await setTimeout(HEADERS_IN_MS * 3)
    socket.write(REQUEST)
    const [again] = await once(socket, 'data')
    expect(String(again)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Keep-Alive: timeout=3\r\n/)
    socket.destroy()
  })

  it('returns 408 when headers take too long, also on a connection that was idle', async () => {
    const socket = await afterOneRequest()
    socket.write(REQUEST.slice(0, 20))
    const began = performance.now()
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /)
    expect(performance.now() - began).toBeGreaterThan(HEADERS_IN_MS - 50)
  })
})
