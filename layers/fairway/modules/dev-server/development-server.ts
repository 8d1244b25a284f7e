// The development server's own path from a saved file to a response: bundle, start, swap. Also shows what failed.
import { join } from 'node:path'
import { eventHandler, type App } from 'h3'
import { useNitro, type useNuxt } from '@nuxt/kit'
import { watchPlace } from '../registry/follow-declarations'
import { buildAgain } from '../registry/server-modules'
import { platformDir } from '../registry/roots'
import { currentFault, type Fault, hasFault, noteFault, onFault, placeOf, toFault } from './faults'
import { bundleWithRolldown } from './server-bundle'
import { createServerProcesses } from './server-processes'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId } from '../../server/kernel/crypto/random'
import { PROBLEM_MEDIA_TYPE } from '../../server/kernel/http/app-error'

type Nuxt = ReturnType<typeof useNuxt>

/** Serves the bundles of Rolldown from threads that replace one another without losing a request. */
export function serveDevelopment(nuxt: Nuxt): void {
  const { rootDir } = nuxt.options
  const processes = createServerProcesses()
  nuxt.hook('nitro:build:before', () => {
    const nitro = nuxt.runWithContext(useNitro)
    nitro.options.plugins.unshift(join(platformDir, 'server/mounted/check-declarations'))
    nitro.hooks.hook('rollup:before', (_nitro, config) => {
      bundleWithRolldown(nitro, config, async build => {
        if (hasFault(nuxt, 'tables')) {
          processes.release()
          await nitro.hooks.callHook('compiled', nitro)
          throw quiet('No server is started on tables that cannot be made.')
        }
        processes.hold()
        try {
          await processes.start(await build())
          noteFault(nuxt, 'server', undefined)
        } catch (error) {
          const fault = toFault(error, rootDir)
          noteFault(nuxt, 'server', fault)
          processes.release()
          // Nuxt starts to respond when the first build has ended, successful or not.
          await nitro.hooks.callHook('compiled', nitro)
          throw told(fault, rootDir)
        }
      })
    })
  })
  nuxt.hook('ready', ({ server }) => {
    const { app }: { app: App } = server
    // The final handler is Nitro's, which would lose pending requests.
    app.stack.pop()
    app.use(
      eventHandler(async ({ node: { req, res } }) => {
        if (await processes.answer(req, res)) return
        answerFault(req, res, currentFault(nuxt) ?? { message: 'The server has ended.' }, rootDir)
      }),
    )
    Object.assign(server, { upgrade: processes.upgrade, reload: () => undefined })
  })
  nuxt.hook('close', () => processes.close())
  // A missing file is not part of the build, so the bundler does not notice when it appears.
  for (const folder of ['server', 'shared'])
    watchPlace(nuxt, join(rootDir, folder), async () => {
      if (hasFault(nuxt, 'server')) await buildAgain(nuxt)
    })
  showOverPages(nuxt)
}

/** The error that Nitro prints. Nitro adds message, file and lines itself. */
function told(fault: Fault, rootDir: string): Error {
  const { message, frame = '' } = fault
  return quiet([message, ...(frame ? [placeOf(fault, rootDir), frame] : [])].join('\n'))
}

/** An error without a useful stack. Nitro prints "undefined" for an error without a list of further errors. */
const quiet = (message: string): Error => Object.assign(new Error(message), { stack: '', errors: [] })

/** Vite's error overlay, on open and on new pages. */
function showOverPages(nuxt: Nuxt): void {
  const { rootDir } = nuxt.options
  nuxt.hook('vite:serverCreated', (server, { isClient }) => {
    if (!isClient) return
    server.ws.on('connection', socket => {
      const fault = currentFault(nuxt)
      if (fault) socket.send(JSON.stringify(overlay(fault, rootDir)))
    })
    onFault(nuxt, fault => server.ws.send(fault ? overlay(fault, rootDir) : { type: 'full-reload' }))
  })
}

const overlay = (fault: Fault, rootDir: string) => ({
  type: 'error' as const,
  err: {
    message: fault.message,
    stack: '',
    plugin: 'fairway',
    ...(fault.file ? { id: placeOf({ file: fault.file }, rootDir) } : {}),
    ...(fault.frame ? { frame: fault.frame } : {}),
    ...(fault.file && fault.line
      ? { loc: { file: placeOf({ file: fault.file }, rootDir), line: fault.line, column: fault.column ?? 0 } }
      : {}),
  },
})

// Shows a fault when no server responds: as a page to people, and as problem+json to programs. In development only.

const TITLE = 'The application does not start'

/** 503 with the reason and its location. */
export function answerFault(req: IncomingMessage, res: ServerResponse, fault: Fault, rootDir: string): void {
  const isPage = (req.headers.accept ?? '').includes('text/html')
  const place = placeOf(fault, rootDir)
  res.writeHead(503, {
    'content-type': isPage ? 'text/html; charset=utf-8' : PROBLEM_MEDIA_TYPE,
    'cache-control': 'no-store',
    'retry-after': '1',
  })
  res.end(isPage ? page(fault, place) : JSON.stringify(problem(fault, place)))
}

const problem = ({ message, frame }: Fault, place: string) => ({
  type: 'about:blank',
  title: TITLE,
  status: 503,
  detail: message,
  requestId: newRequestId(),
  ...(place ? { place } : {}),
  ...(frame ? { frame } : {}),
})

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, character => ESCAPES[character] ?? character)

/** The page polls until the server answers, and then shows the answer. */
const page = ({ message, frame }: Fault, place: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${TITLE}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-inline-size: 60rem; margin: 3rem auto; padding-inline: 1rem; }
h1 { font-size: 1.25rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid #8888; border-radius: .5rem; font: 14px/1.5 ui-monospace, monospace; white-space: pre-wrap; }
pre[data-frame] { white-space: pre; }
</style>
</head>
<body>
<main>
<h1>${TITLE}</h1>
${place ? `<p><code>${escaped(place)}</code></p>\n` : ''}<pre>${escaped(message)}</pre>
${frame ? `<pre data-frame tabindex="0">${escaped(frame)}</pre>\n` : ''}<p>This page shows the application again when the file is mended.</p>
</main>
<script>
setInterval(async () => {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (answer && answer.status !== 503) location.reload()
}, 500)
</script>
</body>
</html>
`
