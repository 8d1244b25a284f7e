import { audited } from '#fairway/server/domains/actions'
import { renewBackupCodes, twoFactorInput } from '#fairway/server/domains/sign-in'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: audited(
    'renew-backup-codes',
    signedIn(async ({ app, session, event }) => {
      const { password } = await readInput(event, twoFactorInput.password)
      return { backupCodes: await renewBackupCodes(app, session.userId, password) }
    }),
  ),
})
