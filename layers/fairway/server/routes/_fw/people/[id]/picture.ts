import { getQuery, setResponseHeaders } from 'h3'
import { seesPerson } from '#fairway/server/domains/organizations'
import { readPicture } from '#fairway/server/domains/people'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

/** The picture of a person, for those who may see them; of each version there is one for good. */
export default defineMethods({
  GET: signedIn(async ({ app, session, event, param }) => {
    if (!(await seesPerson(app, session.userId, param('id')))) throw new AppError('not-found')
    const { type, bytes } = await readPicture(app, param('id'), String(getQuery(event).v ?? ''))
    setResponseHeaders(event, {
      'content-type': type,
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    return bytes
  }),
})
