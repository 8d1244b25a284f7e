import { audited } from '#fairway/server/domains/actions'
import { requireSession } from '#fairway/server/domains/sessions'
import {
  activateTwoFactor,
  endTwoFactor,
  startTwoFactor,
  twoFactorInput,
  twoFactorState,
} from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  async GET(event) {
    const { userId } = await requireSession(event)
    return twoFactorState(getApp(event), userId)
  },
  async POST(event) {
    const session = await requireSession(event)
    const { password } = await readInput(event, twoFactorInput.password)
    return startTwoFactor(getApp(event), session, password)
  },
  PUT: audited('switch-on-two-factor', async event => {
    const { userId, id: sessionId } = await requireSession(event)
    const { code } = await readInput(event, twoFactorInput.code)
    return { backupCodes: await activateTwoFactor(getApp(event), { userId, sessionId }, code) }
  }),
  DELETE: audited('switch-off-two-factor', async event => {
    const { userId } = await requireSession(event)
    const { password } = await readInput(event, twoFactorInput.password)
    await endTwoFactor(getApp(event), userId, password)
  }),
})
