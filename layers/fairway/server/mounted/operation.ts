import { operations } from '#fw/operations'
import { serveOperations } from '#fairway/server/domains/actions'

/** Every operation of the platform; the build mounts it at their exact paths. */
export default serveOperations(operations)
