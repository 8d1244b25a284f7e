import { catalog } from '#fw/actions'
import { answerPeerCall } from '#fairway/server/domains/a2a'
import { defineMethods } from '#fairway/server/foundation/http/methods'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

/** Where other applications call actions, and collect what a person had to approve first. */
export default defineMethods({ POST: event => answerPeerCall(event, actions) })
