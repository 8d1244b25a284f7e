import { audited } from '#server/domains/audit'
import { requireSession } from '#server/domains/sessions'
import { renewBackupCodes, twoFactorInput } from '#server/domains/two-factor'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { readInput } from '#server/foundation/http/read-input'

export default defineMethods({
  POST: audited('renew-backup-codes', async event => {
    const { userId } = await requireSession(event)
    const { password } = await readInput(event, twoFactorInput.password)
    return { backupCodes: await renewBackupCodes(getApp(event), userId, password) }
  }),
})
