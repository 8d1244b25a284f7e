import { getQuery, getRouterParam, setResponseHeaders } from 'h3'
import { sendFile } from '#fairway/server/domains/files'
import { seesPerson } from '#fairway/server/domains/organizations'
import { isOperator, requirePicture } from '#fairway/server/domains/people'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** The picture of a person, for those who may see them and for operators; each version is immutable. */
export default defineMethods({
  openIn: ['view'],
  async GET(event) {
    const session = await requireSession(event)
    const app = getApp(event)
    const id = getRouterParam(event, 'id') ?? ''
    if (!isOperator(app, session) && !(await seesPerson(app, session, id))) throw new AppError('not-found')
    const picture = await requirePicture(app, id, String(getQuery(event).v ?? ''))
    if ('held' in picture) return sendFile(event, picture, { isImmutable: true })
    setResponseHeaders(event, {
      'content-type': picture.type,
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    return picture.bytes
  },
})
