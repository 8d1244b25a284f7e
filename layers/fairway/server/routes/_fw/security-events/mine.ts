import { z } from 'zod'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { pagingShape, readQuery } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'
import { listOwnEvents } from '../../../kernel/security-events/list-security-events'

const querySchema = z.object(pagingShape)

export default defineMethods({
  GET: signedIn(({ app, session, event }) => listOwnEvents(app, session.userId, readQuery(event, querySchema))),
})
