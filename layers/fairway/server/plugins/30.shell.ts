import type { H3Event } from 'h3'
import { defineNitroPlugin } from 'nitropack/runtime'
import { pages, publicLanguages } from '#fw/pages'
import {
  askedLanguage,
  findPage,
  getPageCache,
  makeImpersonal,
  notePath,
  pageResponse,
  pathIn,
  toRenderedPage,
  type FoundPage,
  withAuthDisabledNotice,
  withLocalDataMark,
  withScripts,
  withPublicHead,
} from '#fairway/server/domains/pages'
import { hasRules } from '#fairway/server/shortcuts'
import { getApp } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestPath, isServedPath } from '#fairway/server/kernel/http/request-info'

declare module 'h3' {
  interface H3EventContext {
    page?: FoundPage
    nuxt?: { noSSR?: boolean }
  }
}

/** Serves application pages from memory; each is rendered once, without a session. */
export default defineNitroPlugin(nitro => {
  nitro.hooks.hook('render:before', ctx => {
    const { event } = ctx
    const pathname = pathOf(event)
    const asked = askedLanguage(event.path, publicLanguages)
    const page = findPage(pathname, pages, asked)
    event.context.page = page
    const cached = import.meta.dev ? undefined : getPageCache(getApp(event)).get(page.key)
    if (cached) {
      ctx.response = pageResponse(event, cached)
      if (!hasRules(event, pathname)) notePath(getApp(event), pathIn(pathname, asked), cached)
      return
    }
    makeImpersonal(event, pathIn(page.path ?? pathname, page.language))
    event.context.nuxt = { noSSR: page.kind === 'private' }
  })

  nitro.hooks.hook('render:response', async (response, { event }) => {
    const { page } = event.context
    if (!page || !event.context.isImpersonal || typeof response.body !== 'string') return
    const status = response.statusCode ?? 200
    const { config } = getApp(event)
    const isListed = page.kind === 'public' && status === 200
    const named = isListed
      ? withPublicHead(response.body, { page, languages: publicLanguages, config })
      : withScripts(response.body, page.scripts)
    const rendered = await toRenderedPage(withNotices(named, config), page.status, {
      config,
      isDev: import.meta.dev === true,
      frameAncestors: page.kind === 'embed' ? config.embedAncestors : `'self'`,
      isListed,
    })
    const mayKeep = !import.meta.dev && status === 200
    if (mayKeep) getPageCache(getApp(event)).set(page.key, rendered)
    Object.assign(response, pageResponse(event, rendered))
  })
})

function withNotices(html: string, { authDisabled, localMigration }: Config): string {
  const noticed = authDisabled ? withAuthDisabledNotice(html) : html
  return localMigration.isOffered ? withLocalDataMark(noticed) : noticed
}

function pathOf(event: H3Event): string {
  const path = requestPath(event)
  // A path without a route ends here; only application pages are rendered.
  if (isServedPath(getApp(event), path)) throw new AppError('not-found')
  if (event.method === 'GET' || event.method === 'HEAD') return path
  throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
}
