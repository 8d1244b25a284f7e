import { defineEventHandler } from 'h3'
import { catalog } from '#fw/actions'
import { catalog as collections } from '#fw/collections'
import { apps, prompts, resources } from '#fw/mcp'
import { listActions } from '#fairway/server/domains/collections'
import { answerMcpRequest } from '#fairway/server/domains/mcp'

const declared = { actions: [...catalog, ...listActions(collections, catalog)], resources, prompts, apps }

export default defineEventHandler(event => answerMcpRequest(event, declared))
