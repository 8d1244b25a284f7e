import { audited } from '#fairway/server/domains/actions'
import { removePicture, setPicture } from '#fairway/server/domains/people'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readBytes } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'
import { bodyLimits, limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'

/** The picture of the person who asks: its bytes are the body. */
export default defineMethods({
  PUT: audited(
    'change-picture',
    signedIn(async ({ app, session, event }) => {
      // Who an application signs in itself has the picture that it says.
      if (app.config.customSignIn) throw new AppError('sign-in-elsewhere')
      await rateLimit(app, limits.picturesPerAccount, session.userId)
      return { image: await setPicture(app, session.userId, await readBytes(event, { maxBytes: bodyLimits.picture })) }
    }),
  ),
  DELETE: audited(
    'remove-picture',
    signedIn(({ app, session }) => removePicture(app, session.userId)),
  ),
})
