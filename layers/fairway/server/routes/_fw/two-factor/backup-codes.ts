import { audited } from '#fairway/server/domains/actions'
import { requireSession } from '#fairway/server/domains/sessions'
import { renewBackupCodes, twoFactorInput } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  POST: audited('renew-backup-codes', async event => {
    const { userId } = await requireSession(event)
    const { password } = await readInput(event, twoFactorInput.password)
    return { backupCodes: await renewBackupCodes(getApp(event), userId, password) }
  }),
})
