import { catalog as actions } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { answerChangesRequest } from '#fairway/server/domains/changes'
import { defineMethods } from '#fairway/server/kernel/http/methods'

const declared = { actions, collections }

/** Streams changes as they happen, each to the people who may know of it. */
export default defineMethods({ openIn: ['view'], GET: event => answerChangesRequest(event, declared) })
