import { getRouterParam, type H3Event, sendRedirect } from 'h3'
import { approvalPath } from '#fairway/server/domains/agents'
import { defineMethods } from '#fairway/server/kernel/http/methods'

// Applications of earlier versions accept no other address. A page that was open during an update posts here.
const leadThere = (event: H3Event) => sendRedirect(event, approvalPath(getRouterParam(event, 'id') ?? ''), 307)

/** The address of an approval page as other applications know it. */
export default defineMethods({ openIn: ['signed-out', 'setup'], GET: leadThere, POST: leadThere })
