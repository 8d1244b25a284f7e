import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An MCP host's own listener on this computer, to which the browser is sent back. */
export async function startLoopbackHost() {
  const received: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/callback') received.push(url.searchParams)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!DOCTYPE html><html lang="en"><title>Host</title><h1>Back in the host</h1></html>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    /** What the last visit brought. */
    last: () => Object.fromEntries(received.at(-1) ?? []),
    stop() {
      server.closeAllConnections()
      return new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
