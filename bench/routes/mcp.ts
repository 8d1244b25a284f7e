import { defineEventHandler } from 'h3'
import { z } from 'zod'
import { defineAction } from '#fairway/server/domains/actions'
import { answerMcpRequest } from '#fairway/server/domains/mcp'

const action = defineAction({
  description: 'Reads the time.',
  readOnly: true,
  input: z.object({ zone: z.string().default('UTC') }),
  output: z.object({ zone: z.string(), time: z.string() }),
  run: ({ zone }, { now }) => ({ zone, time: now().toISOString() }),
})

const declared = { actions: [{ name: 'read-time', group: 'bench', action }], resources: [], prompts: [], apps: [] }

/** The endpoint itself with the same tool: token, grant, scope, the way every action runs. */
export default defineEventHandler(event => answerMcpRequest(event, declared))
