import { audited } from '#fairway/server/domains/actions'
import { deleteAccount, deleteAccountInput, planAccountEnd } from '#fairway/server/domains/sign-in'
import { proofOf, requireFreshProof } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'
import { signedIn } from '#fairway/server/signed-in'

/** A person's own account: what deleting it would take and leave, and deleting it. */
export default defineMethods({
  GET: signedIn(async ({ app, session, event }) => ({
    ...(await planAccountEnd(app, session)),
    proof: await proofOf(event),
  })),
  DELETE: audited('delete-account', async event => {
    const input = await readInput(event, deleteAccountInput)
    const { userId, email, id: sessionId } = await requireFreshProof(event, input.password)
    return sendAnswer(
      event,
      await deleteAccount(getApp(event), { userId, email, sessionId }, input, getRequestId(event)),
    )
  }),
})
