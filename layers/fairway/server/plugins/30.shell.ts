import type { H3Event } from 'h3'
import { defineNitroPlugin } from 'nitropack/runtime'
import { pages, publicLanguages } from '#fw/pages'
import {
  askedLanguage,
  findPage,
  findKeptPage,
  keepPage,
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
import {
  beginFollowing,
  endFollowing,
  type FollowedReads,
  followRequests,
} from '#fairway/server/kernel/database/followed-reads'
import { pagePath } from '#fairway/server/kernel/http/request-info'
import { sharedCacheHeader } from '#fairway/server/kernel/server-page/send-page'

declare module 'h3' {
  interface H3EventContext {
    page?: FoundPage
    nuxt?: { noSSR?: boolean }
  }
}

/** Serves application pages from memory. Each is rendered without a session, and again when what it has read has changed. */
export default defineNitroPlugin(nitro => {
  followRequests()
  nitro.hooks.hook('render:before', async ctx => {
    const { event } = ctx
    const pathname = pagePath(event)
    const languageInAddress = askedLanguage(event.path, publicLanguages)
    const page = findPage(pathname, pages, languageInAddress)
    event.context.page = page
    const cached = import.meta.dev ? undefined : await findKeptPage(getApp(event), page.key)
    if (cached) {
      ctx.response = pageResponse(event, cached)
      if (!hasRules(event)) notePath(getApp(event), pathIn(pathname, languageInAddress), cached)
      return
    }
    makeImpersonal(event, pathIn(page.path ?? pathname, page.language))
    event.context.nuxt = { noSSR: page.kind === 'private' }
    beginFollowing()
  })

  nitro.hooks.hook('render:response', async (response, { event }) => {
    const { page } = event.context
    if (!page || !event.context.isImpersonal || typeof response.body !== 'string') return
    const { body, statusCode = 200 } = response
    Object.assign(response, await finishPage(event, page, { html: body, status: statusCode }))
  })
})

/** Completes a page that was just rendered, keeps it if that is possible, and returns the response with it. */
async function finishPage(event: H3Event, page: FoundPage, { html, status }: { html: string; status: number }) {
  const followed = endFollowing()
  const app = getApp(event)
  const { config } = app
  const isListed = page.kind === 'public' && status === 200
  const named = isListed
    ? withPublicHead(html, { page, languages: publicLanguages, config })
    : withScripts(html, page.scripts)
  const rendered = await toRenderedPage(withNotices(named, config), status === 200 ? page.status : status, {
    cacheControl: cacheControlOf(event, page, followed),
    reads: followed.reads,
    isDev: import.meta.dev === true,
    frameAncestors: page.kind === 'embed' ? config.embedAncestors : `'self'`,
    isListed,
  })
  const { unfollowed } = followed
  // Once for each page and reason.
  if (unfollowed !== undefined && import.meta.dev)
    app.memo(`unfollowed ${page.key} ${unfollowed}`, () =>
      app.log.warn('this page is rendered for every visitor, because it reads what may change without notice', {
        page: page.path,
        reads: unfollowed,
      }),
    )
  if (!import.meta.dev && status === 200 && unfollowed === undefined) keepPage(app, page.key, rendered)
  return pageResponse(event, rendered)
}

/** What a public page, or a route rule for it, says itself comes first. A page with rows is only kept as long as it declares. */
function cacheControlOf(event: H3Event, { kind, maxAge }: FoundPage, { reads, unfollowed }: FollowedReads): string {
  const cacheControl = event.node.res.getHeader('cache-control')
  if (kind === 'public' && typeof cacheControl === 'string') return cacheControl
  const hasRows = reads.length > 0 || unfollowed !== undefined
  return sharedCacheHeader(getApp(event).config, maxAge ?? (hasRows ? 0 : undefined))
}

function withNotices(html: string, { authDisabled, localMigration }: Config): string {
  const noticed = authDisabled ? withAuthDisabledNotice(html) : html
  return localMigration.isOffered ? withLocalDataMark(noticed) : noticed
}
