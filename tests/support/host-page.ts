import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HostPage {
  /** `127.0.0.1` and `localhost` are different sites to a browser. */
  origin: string
  /** Puts this address into the frame of the page. */
  show(url: string): void
  stop(): Promise<void>
}

/** A page of another site with one frame in it. */
export async function startHostPage(): Promise<HostPage> {
  const shown = { url: 'about:blank' }
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      `<!DOCTYPE html><html lang="en"><title>Host</title><header><h1>Somebody else’s page</h1></header>` +
        `<iframe title="Notes" src="${shown.url}" width="700" height="400"></iframe></html>`,
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: url => void (shown.url = url),
    stop: () => new Promise(resolve => server.close(() => resolve())),
  }
}
