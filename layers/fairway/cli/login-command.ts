import { defineCommand } from 'citty'
import { signInArgs } from './browser'
import { parseMcpUrl } from './mcp/endpoint'
import { endWith, say } from './terminal'

/** `fw login`: signs in to an MCP endpoint and stores the tokens that `fw mcp stdio` uses. */
export const loginCommand = defineCommand({
  meta: { name: 'login', description: 'Sign in to an MCP endpoint, for `fw mcp stdio` on this machine.' },
  args: {
    url: {
      type: 'positional',
      required: false,
      description: 'The endpoint; without it, the application of this folder.',
    },
    ...signInArgs,
  },
  run: ({ args }) =>
    endWith(async () => {
      const endpoint = parseMcpUrl(args.url, process.env.FW_BASE_URL)
      const { ownTokens } = await import('./mcp/token-source')
      await ownTokens(endpoint, args, say).signIn()
      return 0
    }),
})
