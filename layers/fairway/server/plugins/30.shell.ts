import type { H3Event } from 'h3'
import { defineNitroPlugin } from 'nitropack/runtime'
import { pages } from '#fw/pages'
import {
  findPage,
  getPageCache,
  makeImpersonal,
  notePath,
  pageResponse,
  toRenderedPage,
  type FoundPage,
  withAuthDisabledNotice,
  withLocalDataMark,
} from '#fairway/server/domains/pages'
import { hasRules } from '#fairway/server/shortcuts'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestPath, isServedPath } from '#fairway/server/kernel/http/request-info'

declare module 'h3' {
  interface H3EventContext {
    page?: FoundPage
    nuxt?: { noSSR?: boolean }
  }
}

/** Serves application pages from memory; each is rendered once, for nobody in particular. */
export default defineNitroPlugin(nitro => {
  nitro.hooks.hook('render:before', ctx => {
    const { event } = ctx
    const pathname = pathOf(event)
    const page = findPage(pathname, pages)
    event.context.page = page
    const cached = import.meta.dev ? undefined : getPageCache(getApp(event)).get(page.key)
    if (cached) {
      ctx.response = pageResponse(event, cached)
      if (!hasRules(event, pathname)) notePath(getApp(event), pathname, cached)
      return
    }
    makeImpersonal(event, page.path ?? pathname)
    event.context.nuxt = { noSSR: page.kind === 'private' }
  })

  nitro.hooks.hook('render:response', async (response, { event }) => {
    const { page } = event.context
    if (!page || !event.context.isImpersonal || typeof response.body !== 'string') return
    const { config } = getApp(event)
    const { authDisabled, embedAncestors, localMigration } = config
    const noticed = authDisabled ? withAuthDisabledNotice(response.body) : response.body
    const html = localMigration.isOffered ? withLocalDataMark(noticed) : noticed
    const frameAncestors = page.kind === 'embed' ? embedAncestors : `'self'`
    const rendered = await toRenderedPage(html, page.status, {
      config,
      isDev: import.meta.dev === true,
      frameAncestors,
    })
    const mayKeep = !import.meta.dev && (response.statusCode ?? 200) === 200
    if (mayKeep) getPageCache(getApp(event)).set(page.key, rendered)
    Object.assign(response, pageResponse(event, rendered))
  })
})

function pathOf(event: H3Event): string {
  const path = requestPath(event)
  // What no route answers ends here; only application pages are rendered.
  if (isServedPath(getApp(event), path)) throw new AppError('not-found')
  if (event.method === 'GET' || event.method === 'HEAD') return path
  throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
}
