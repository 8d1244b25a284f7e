import { audited } from '#fairway/server/domains/audit'
import { requireSession } from '#fairway/server/domains/sessions'
import { renewBackupCodes, twoFactorInput } from '#fairway/server/domains/two-factor'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'
import { readInput } from '#fairway/server/foundation/http/read-input'

export default defineMethods({
  POST: audited('renew-backup-codes', async event => {
    const { userId } = await requireSession(event)
    const { password } = await readInput(event, twoFactorInput.password)
    return { backupCodes: await renewBackupCodes(getApp(event), userId, password) }
  }),
})
