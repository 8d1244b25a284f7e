import { defineEventHandler } from 'h3'
import { catalog } from '#fw/actions'
import { apps, prompts, resources } from '#fw/mcp'
import { answerMcpRequest } from '#fairway/server/domains/mcp'

const declared = { actions: catalog, resources, prompts, apps }

export default defineEventHandler(event => answerMcpRequest(event, declared))
