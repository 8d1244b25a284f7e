import { catalog } from '#fw/actions'
import { answerPeerCall } from '#fairway/server/domains/agents'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

/** The endpoint where other applications call actions, and collect the results that a person had to approve first. */
export default defineMethods({ POST: event => answerPeerCall(event, actions) })
