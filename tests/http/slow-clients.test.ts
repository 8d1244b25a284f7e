import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { insertNotes } from '../support/query'
import { useServer } from '../support/use-server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
/** The server ends an unread body after five seconds, and a body that it waits for after fifteen. */
const LONGEST_BODY_IN_MS = 30_000

const server = useServer()
let browser: TestBrowser

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
  await insertNotes(server, ada.email, 500)
})

const head = (method: string, path: string, ...lines: string[]) =>
  [
    `${method} ${path} HTTP/1.1`,
    `host: ${new URL(server.origin).host}`,
    `cookie: ${browser.cookieHeader()}`,
    'sec-fetch-site: same-origin',
    'content-type: application/json',
    ...lines,
  ].join('\r\n')

function open(): Socket {
  const { port, hostname } = new URL(server.origin)
  return connect(Number(port), hostname).on('error', () => {})
}

/** Repeats `piece`, at full speed or with pauses, until the server ends the connection. Returns the start of the response. */
function endless(start: string, piece: Buffer, pauseInMs = 0): Promise<string> {
  const socket = open()
  let said = ''
  const pump = () => {
    if (socket.destroyed) return
    const hasRoom = socket.write(piece)
    if (pauseInMs > 0) setTimeout(pump, pauseInMs)
    else if (hasRoom) setImmediate(pump)
    else socket.once('drain', pump)
  }
  socket.write(`${start}\r\n\r\n`)
  pump()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the server went on reading after ${said.slice(0, 60)}`))
    }, LONGEST_BODY_IN_MS)
    socket.on('data', data => (said += String(data)))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(said.slice(0, 12))
    })
  })
}

const chunk = (size: number) => Buffer.from(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`)

describe('endless request body', () => {
  it.each([
    ['is refused where it is read', 'POST', '/_fw/actions/create-note', 'HTTP/1.1 413'],
    ['is cut off where nobody reads it', 'GET', '/_fw/session', 'HTTP/1.1 200'],
    ['is cut off at a page', 'GET', '/sign-in', 'HTTP/1.1 200'],
    ['is cut off where there is nothing', 'POST', '/nothing', 'HTTP/1.1 405'],
  ])('%s', async (_what, method, path, answer) => {
    const chunked = endless(head(method, path, 'transfer-encoding: chunked'), chunk(60_000))
    const declared = endless(head(method, path, 'content-length: 99999999999'), Buffer.alloc(60_000, 'x'))
    expect(await Promise.all([chunked, declared])).toEqual([answer, answer])
  })

  it('is cut off when it arrives one byte at a time', async () => {
    const slow = (path: string) => endless(head('POST', path, 'transfer-encoding: chunked'), chunk(1), 200)
    const answers = await Promise.all([slow('/_fw/actions/create-note'), slow('/nothing'), slow('/mcp/oauth/token')])
    expect(answers).toEqual(['HTTP/1.1 408', 'HTTP/1.1 405', 'HTTP/1.1 408'])
  })
})

describe('slow clients', () => {
  const waiting: Socket[] = []
  afterAll(() => waiting.forEach(socket => socket.destroy()))

  it('delay no other requests when 500 of them are connected', async () => {
    const list = `/_fw/actions/list-notes?input=${encodeURIComponent('{"itemsPerPage":100}')}`
    for (let at = 0; at < 500; at += 1) {
      const socket = open()
      waiting.push(socket)
      if (at % 3 === 0) socket.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ')
      else if (at % 3 === 1)
        socket.write(`${head('POST', '/_fw/actions/create-note', 'content-length: 1000')}\r\n\r\n{`)
      // These clients send requests and never read the responses. The server does this work, so there is little of it: a busy
      // machine would be late with the others because of the work, not because of the clients.
      else socket.pause().write(`${head('GET', list)}\r\n\r\n`.repeat(2))
    }
    const others = Array.from({ length: 100 }, (_, at) =>
      at % 4 === 0
        ? browser.post('/_fw/actions/create-note', { json: { title: `Beside ${at}` } })
        : browser.get(at % 4 === 1 ? '/sign-in' : at % 4 === 2 ? '/_fw/session' : '/_fw/health/ready'),
    )
    const answers = await Promise.all(others)
    expect(answers.filter(({ status }) => status !== 200).map(({ status, url }) => `${status} ${url}`)).toEqual([])
    // All 500 still wait: the server did not drop any of them to serve the others.
    expect(waiting.filter(socket => !socket.destroyed)).toHaveLength(500)
  })
})
