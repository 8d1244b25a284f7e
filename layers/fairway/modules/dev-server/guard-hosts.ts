import type { useNuxt } from '@nuxt/kit'
import { type App, defineEventHandler, type H3Event } from 'h3'
import { allowedHosts } from '../../server/kernel/config/environment'
import { readEnv } from '../../server/kernel/config/env'
import { newRequestId } from '../../server/kernel/crypto/random'
import { checkHost } from '../../server/kernel/http/check-origin'
import { PROBLEM_MEDIA_TYPE, toAppError, toProblem } from '../../server/kernel/http/app-error'

/** In development most files come from Vite, before our server is asked: the same rule about host names stands before it. */
export function guardHosts(nuxt: ReturnType<typeof useNuxt>): void {
  // Looked at when it is known where the server listens.
  let known: ReadonlySet<string> | null | undefined
  const hosts = () => (known ??= allowedHosts({ ...readEnv(process.env), NODE_ENV: 'development' }))
  // Vite has a list of its own; what we let in must not end there.
  nuxt.hook('vite:extendConfig', config => {
    const { server = {} } = config
    if (server.allowedHosts !== true) server.allowedHosts = [...(server.allowedHosts ?? []), ...(hosts() ?? [])]
    Object.assign(config, { server })
  })
  nuxt.hook('ready', ({ server }) => {
    const { app }: { app: App } = server
    const { handler } = app
    app.handler = defineEventHandler(event => (isRefused(event, hosts()) ? undefined : handler(event)))
  })
}

/** Answers a request that was sent to a name which is none of ours; false for all others. */
function isRefused({ node }: H3Event, hosts: ReadonlySet<string> | null): boolean {
  try {
    checkHost(node.req, { allowedHosts: hosts })
    return false
  } catch (thrown) {
    const error = toAppError(thrown)
    node.res.writeHead(error.status, { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store' })
    node.res.end(JSON.stringify(toProblem(error, newRequestId())))
    return true
  }
}
