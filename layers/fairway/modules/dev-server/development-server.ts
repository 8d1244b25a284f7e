// The development server's own way from a saved file to an answer: bundle, start, swap; and what it shows when that fails.
import { join } from 'node:path'
import { eventHandler, type App } from 'h3'
import { useNitro, type useNuxt } from '@nuxt/kit'
import { watchPlace } from '../registry/follow-declarations'
import { platformDir } from '../registry/roots'
import { answerFault } from './fault-answer'
import { currentFault, type Fault, hasFault, noteFault, onFault, placeOf, toFault } from './faults'
import { bundleWithRolldown } from './server-bundle'
import { createServerProcesses } from './server-processes'

type Nuxt = ReturnType<typeof useNuxt>

/** Serves what Rolldown builds from threads that take over from one another, so that no request is lost. */
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
          // Nuxt begins to answer when the first build has ended, however it has.
          await nitro.hooks.callHook('compiled', nitro)
          throw told(fault, rootDir)
        }
      })
    })
  })
  nuxt.hook('ready', ({ server }) => {
    const { app }: { app: App } = server
    // The last one is Nitro's, which would lose what is under way.
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
  // What a build misses is no part of it, so the bundler does not see it come.
  for (const folder of ['server', 'shared'])
    watchPlace(nuxt, join(rootDir, folder), async () => {
      if (hasFault(nuxt, 'server')) await nuxt.runWithContext(() => useNitro().hooks.callHook('rollup:reload'))
    })
  showOverPages(nuxt)
}

/** What Nitro prints; it shows message, file and lines of its own accord. */
function told(fault: Fault, rootDir: string): Error {
  const { message, frame = '' } = fault
  return quiet([message, ...(frame ? [placeOf(fault, rootDir), frame] : [])].join('\n'))
}

/** An error whose own place tells nothing; Nitro prints "undefined" for one that lists no further errors. */
const quiet = (message: string): Error => Object.assign(new Error(message), { stack: '', errors: [] })

/** The overlay of Vite, on pages that are open and on those that come. */
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
