// While Nuxt restarts in its process, its command line answers every request with 503 and an HTML page that reloads itself. That is
// right for people. Programs wait here for the next start instead.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { useNuxt } from '@nuxt/kit'
import { type App, toNodeListener } from 'h3'
import { newRequestId } from '../../server/kernel/crypto/random'
import { AppError, PROBLEM_MEDIA_TYPE, toProblem } from '../../server/kernel/http/app-error'

const WAIT_LIMIT_IN_MS = 20_000

/**
 * What waits for the next start, which answers it. It belongs to the server that listens, because a restart loads this file
 * again.
 */
interface Held {
  restart?: PromiseWithResolvers<RequestListener>
}
const HELD = Symbol.for('fairway.held')

/** Lets requests of programs wait while Nuxt restarts; after 20 seconds they get 503 as a problem document. */
export function holdRequests(nuxt: Pick<ReturnType<typeof useNuxt>, 'hook'>): void {
  let app: App | undefined
  let server: Server | undefined
  let held: Held = {}
  nuxt.hook('ready', ({ server: own }) => {
    app = own.app
  })
  nuxt.hook('listen', listening => {
    server = listening
    held = Reflect.get(server, HELD) ?? placeInFront(server)
  })
  nuxt.hook('close', () => {
    // The end of the command closes the server first.
    if (server?.listening) held.restart ??= Promise.withResolvers()
  })
  nuxt.hook('build:done', () => {
    if (app) held.restart?.resolve(toNodeListener(app))
    delete held.restart
  })
}

function placeInFront(server: Server): Held {
  const held: Held = {}
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    if (held.restart && !(req.headers.accept ?? '').includes('text/html')) return void wait(held.restart, req, res)
    for (const listener of listeners) void listener(req, res)
  })
  Reflect.set(server, HELD, held)
  return held
}

async function wait(
  { promise }: NonNullable<Held['restart']>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const timer = setTimeout(() => refuse(res), WAIT_LIMIT_IN_MS)
  res.once('close', () => clearTimeout(timer))
  const listener = await promise
  clearTimeout(timer)
  if (!res.headersSent && !res.destroyed) void listener(req, res)
}

function refuse(res: ServerResponse): void {
  const problem = toProblem(new AppError('unavailable', { detail: 'The development server restarts.' }), newRequestId())
  res.writeHead(503, { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store', 'retry-after': '1' })
  res.end(JSON.stringify(problem))
}
