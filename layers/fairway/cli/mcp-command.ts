import { defineCommand } from 'citty'
import { signInArgs, timeoutArg, timeoutInMs } from './browser'
import { parseMcpUrl, reasonOf } from './mcp/endpoint'
import { endWith, say } from './terminal'

const WAIT_LIMIT_IN_MS = 60_000
const NO_ADDRESS =
  'Name the endpoint to reach (fw mcp stdio https://…/mcp), or set AUTH_MODE=local to serve this folder in this process as the person who is signed in to its database.'

const url = {
  type: 'positional',
  required: false,
  description: 'The endpoint; without it, the application of this folder.',
} as const

const stdio = defineCommand({
  meta: {
    name: 'stdio',
    description: 'Serve an endpoint on standard input and output, signed in by OAuth; or this folder, in process.',
  },
  args: {
    url: {
      ...url,
      description:
        'The endpoint; without it and with AUTH_MODE=local, the application of this folder, without a server.',
    },
    ...signInArgs,
  },
  run: ({ args }) =>
    reporting(async () => {
      const { stdin, stdout } = process
      // Hosts stop programs with a signal; locks that other processes wait for are released then.
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0))
      if (args.url === undefined) {
        if (process.env.AUTH_MODE !== 'local') throw new Error(NO_ADDRESS)
        const { serveLocal } = await import('./mcp/serve-local')
        await serveLocal({ stdin, stdout, say: note })
        return 0
      }
      const endpoint = parseMcpUrl(args.url)
      const { runStdioProxy } = await import('./mcp/stdio-proxy')
      const { ownTokens, staticTokenSource } = await import('./mcp/token-source')
      const token = staticToken(endpoint)
      const tokens = token ? staticTokenSource(token) : ownTokens(endpoint, args, note)
      await runStdioProxy({ url: endpoint, tokens, stdin, stdout, say: note, waitLimitInMs: WAIT_LIMIT_IN_MS })
      return 0
    }),
})

const probe = defineCommand({
  meta: { name: 'probe', description: 'Walk the way of a host to an endpoint and name the step that is broken.' },
  args: {
    url,
    timeout: timeoutArg,
    document: {
      type: 'string',
      description: 'The address of a metadata document to show to the server: whether it has a way out to it.',
    },
    browser: {
      type: 'boolean',
      default: true,
      description: 'Sign in.',
      negativeDescription: 'Stop before the sign-in.',
    },
  },
  run: ({ args }) =>
    reporting(async () => {
      const endpoint = parseMcpUrl(args.url, process.env.FW_BASE_URL)
      const signInLimitInMs = timeoutInMs(args.timeout)
      const document = args.document === undefined ? undefined : parseMcpUrl(args.document)
      const { probe: walk } = await import('./mcp/probe')
      const works = await walk({ url: endpoint, document, isInteractive: args.browser, signInLimitInMs, say })
      return works ? 0 : 1
    }),
})

/** `fw mcp …`: the endpoint for MCP hosts, from the outside. */
export const mcpCommand = defineCommand({
  meta: { name: 'mcp', description: 'Reach an MCP endpoint: stdio, probe.' },
  subCommands: { stdio, probe },
})

const note = (line: string): void => void process.stderr.write(`fw: ${line}\n`)

/**
 * ACCESS_TOKEN is a secret of this folder's application, so it is sent to no other server. FW_TOKEN is sent to any given address.
 */
function staticToken(endpoint: URL): string | undefined {
  const isOwn = endpoint.href === parseMcpUrl(undefined, process.env.FW_BASE_URL).href
  return process.env.FW_TOKEN || (isOwn ? process.env.ACCESS_TOKEN : undefined) || undefined
}

// 0: it works; 1: a step failed; 2: it could not start.
const reporting = (work: () => Promise<number>): Promise<void> =>
  endWith(work, thrown => {
    note(reasonOf(thrown))
    return 2
  })
