import { defineMethods } from '#fairway/server/kernel/http/methods'

/** Returns 200 while the process runs. */
export default defineMethods({ openIn: ['signed-out', 'setup', 'view'], GET: () => ({ status: 'live' }) })
