import { setResponseHeader } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { exportAccount } from '#fairway/server/domains/sign-in'
import { sendExport } from '#fairway/server/kernel/export-rows'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { signedIn } from '#fairway/server/signed-in'

/** Everything that is kept of the person who asks, as a file. */
export default defineMethods({
  GET: audited(
    'export-account',
    signedIn(async ({ app, session, event }) => {
      const { parts, text } = await exportAccount(app, session)
      setResponseHeader(event, 'x-export-parts', parts)
      setResponseHeader(event, 'cache-control', 'no-store')
      return sendExport(event, text, { name: `account-${app.now().toISOString().slice(0, 10)}`, format: 'json' })
    }),
  ),
})
