import { sendAiCatalog } from '#fairway/server/domains/mcp'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({ openIn: ['signed-out', 'setup', 'view'], GET: sendAiCatalog })
