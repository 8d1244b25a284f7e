import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { addressInput, addressState, askForNewAddress, withdrawAddressChange } from '#fairway/server/domains/sign-in'
import { proofOf, requireFreshProof } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { signedIn } from '#fairway/server/signed-in'

/** The change of address that a person has asked for: looking at it, asking for one, taking it back. */
export default defineMethods({
  GET: signedIn(async ({ app, session, event }) => ({
    ...(await addressState(app, session)),
    proof: await proofOf(event),
  })),
  POST: audited('change-address', async event => {
    const input = await readInput(event, addressInput.ask)
    const { id: sessionId, ...session } = await requireFreshProof(event, input.password)
    const change = await askForNewAddress(getApp(event), { ...session, sessionId }, input, requestInfo(event))
    setResponseStatus(event, 202)
    return { change }
  }),
  DELETE: audited(
    'cancel-address-change',
    signedIn(({ app, session }) => withdrawAddressChange(app, session.userId)),
  ),
})
