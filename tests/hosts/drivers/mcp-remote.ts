import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { installed, strangeHome } from './installed'
import type { ClientTokens, ReleasedClient } from './run-client'

const ADDRESS = /https?:\/\/\S+\/mcp\/oauth\/authorize\S+/g
const LIMIT_IN_MS = 20_000

/** mcp-remote as a stdio-only editor runs it. It prints the address to open on standard error. */
export function startMcpRemote(folder: string, endpoint: string): ReleasedClient {
  const { home, env } = strangeHome()
  const state = {
    client: new Client({ name: 'editor', version: '1' }),
    connected: Promise.resolve(),
    said: '',
    seen: 0,
  }

  function launch() {
    state.client = new Client({ name: 'editor', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [installed(`${folder}/dist/proxy.js`), endpoint, '--auth-timeout', '60'],
      env: { ...env, MCP_REMOTE_CONFIG_DIR: join(home, 'auth') },
      stderr: 'pipe',
    })
    transport.stderr?.on('data', chunk => (state.said += String(chunk)))
    state.connected = state.client.connect(transport, { timeout: 90_000 })
    // `comeBack` awaits this promise and reports its failure.
    state.connected.catch(() => {})
  }

  /** Returns the newest printed address that was not returned before; undefined when none arrives within the limit. */
  async function address(limitInMs: number): Promise<URL | undefined> {
    const limit = Date.now() + limitInMs
    for (;;) {
      const found = state.said.match(ADDRESS) ?? []
      if (found.length > state.seen) {
        state.seen = found.length
        return new URL(found.at(-1) ?? '')
      }
      if (Date.now() > limit) return undefined
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** The earlier version prints the address before it listens, so this retries. People are slower than that. */
  async function visit(back: URL): Promise<void> {
    const limit = Date.now() + LIMIT_IN_MS
    for (;;) {
      const answer = await fetch(back).catch(() => undefined)
      if (answer) return
      if (Date.now() > limit) throw new Error(`it does not listen:\n${state.said}`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  const tokenFile = () => {
    const folderOfTokens = join(home, 'auth')
    const [file] = readdirSync(folderOfTokens, { recursive: true }).filter(name =>
      String(name).endsWith('_tokens.json'),
    )
    if (!file) throw new Error(`there are no tokens:\n${state.said}`)
    return join(folderOfTokens, String(file))
  }
  const readTokens = (): ClientTokens => JSON.parse(readFileSync(tokenFile(), 'utf8'))

  return {
    async start() {
      launch()
      const asked = await address(LIMIT_IN_MS)
      if (!asked) throw new Error(`it did not ask:\n${state.said}`)
      return asked
    },
    async comeBack(back) {
      await visit(back)
      await state.connected
    },
    listTools: async () => (await state.client.listTools()).tools,
    async callTool(name, args) {
      const result = await state.client.callTool({ name, arguments: args }, undefined, { timeout: LIMIT_IN_MS })
      if (result.isError) throw new Error(JSON.stringify(result))
      return result
    },
    tokens: async () => readTokens(),
    expire: async ended => {
      const over = { ...readTokens(), access_token: ended, expires_at: Date.now() - 1000 }
      writeFileSync(tokenFile(), JSON.stringify(over))
    },
    async forget() {
      await state.client.close()
      rmSync(join(home, 'auth'), { recursive: true, force: true })
      state.said = ''
      state.seen = 0
    },
    askedAgain: address,
    async stop() {
      await state.client.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
