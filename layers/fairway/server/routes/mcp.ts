import { catalog } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { apps, prompts, resources } from '#fw/mcp'
import { hostFileReader, listActions } from '#fairway/server/domains/collections'
import { answerMcpRequest } from '#fairway/server/domains/mcp'
import { defineRoute } from '#fairway/server/kernel/http/methods'

const actions = [...catalog, ...listActions(collections, catalog)]
const declared = { actions, resources, prompts, apps, readFile: hostFileReader(collections) }

export default defineRoute(['api-token', 'mcp-token'], event => answerMcpRequest(event, declared))
