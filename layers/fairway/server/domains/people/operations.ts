import { Readable } from 'node:stream'
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { storeFile } from '#fairway/server/domains/files'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { pagingShape } from '#fairway/server/kernel/database/read-page'
import { readBytes } from '#fairway/server/kernel/http/read-input'
import { bodyLimits, limits } from '#fairway/server/kernel/limits/limits'
import { listOwnEvents } from '#fairway/server/kernel/security-events/list-security-events'
import { ownEventPageSchema } from '#fairway/shared/schemas/security-event'
import { removePicture, setPicture } from './pictures'
import { PICTURE_UPLOAD } from './tables'

/** Browsers shrink a picture to much less before the upload. */
const MOST_PIXELS = 16_000_000
const PICTURE = {
  name: PICTURE_UPLOAD,
  upload: { accept: ['image/webp', 'image/jpeg', 'image/png'], maxPixels: MOST_PIXELS },
}

export default defineOperations({
  'change-picture': operation({
    description: 'Sets your picture. The body is the bytes of the picture.',
    method: 'PUT',
    path: '/_fw/account/picture',
    openIn: ['setup'],
    limit: limits.picturesPerAccount,
    reads: 'image/*',
    output: z.object({ image: z.string() }),
    audit: [],
    async run(_input, { app, session, event }) {
      // With the application's own sign-in, the application sets the picture.
      if (app.config.customSignIn) throw new AppError('sign-in-elsewhere')
      const bytes = await readBytes(event, { maxBytes: bodyLimits.picture })
      // A picture belongs to the person, not to the active organization.
      const owner = { userId: session.userId, orgId: null }
      const about = { name: 'picture', size: bytes.length, entry: PICTURE, owner }
      const { id } = await storeFile(app, Readable.from([bytes]).iterator(), about)
      return { image: await setPicture(app, session.userId, id) }
    },
  }),
  'remove-picture': operation({
    description: 'Removes your picture.',
    method: 'DELETE',
    path: '/_fw/account/picture',
    openIn: ['setup'],
    audit: [],
    run: (_input, { app, session }) => removePicture(app, session.userId),
  }),
  'list-own-security-events': operation({
    description: 'Lists the security events of your account, newest first.',
    method: 'GET',
    path: '/_fw/security-events/mine',
    openIn: ['setup', 'view'],
    input: z.object(pagingShape),
    output: ownEventPageSchema,
    run: (paging, { app, session }) => listOwnEvents(app, session.userId, paging),
  }),
})
