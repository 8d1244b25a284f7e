import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebServer {
  origin: string
  stop(): Promise<void>
}

/** Serves a fetch-style handler on a free port of this machine. */
export async function serve(handle: (request: Request) => Promise<Response>): Promise<WebServer> {
  const server = createServer(async (request, response) => {
    const answer = await handle(await toRequest(request))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const { method = 'GET', headers } = request
  const url = `http://${headers.host}${request.url}`
  const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks)
  return new Request(url, { method, headers: headers as Record<string, string>, body })
}
