import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { answerChangesRequest } from '#fairway/server/domains/changes'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const declared = { actions, collections }

/** What is written, as it happens, to whoever may know of it. */
export default defineMethods({ GET: event => answerChangesRequest(event, declared) })
