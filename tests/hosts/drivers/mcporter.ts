import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed, strangeHome } from './installed'
import type { ClientTokens, ReleasedClient } from './run-client'

const ADDRESS = /https?:\/\/[^\s"]+\/mcp\/oauth\/authorize[^\s"]+/

/** mcporter as people and agents run it: one process per call, with a shared token file. */
export function startMcporter(endpoint: string): ReleasedClient {
  const { home, env } = strangeHome()
  const cache = join(home, 'tokens')
  const config = join(home, 'mcporter.json')
  mkdirSync(home, { recursive: true })
  const server = { baseUrl: endpoint, allowHttp: true, auth: 'oauth', tokenCacheDir: cache }
  writeFileSync(config, JSON.stringify({ mcpServers: { fairway: server } }))
  const state: { signIn?: ReturnType<typeof run> } = {}

  function run(...args: string[]) {
    const child = spawn(process.execPath, [installed('mcporter/dist/cli.js'), '--config', config, ...args], {
      cwd: home,
      env: { ...env, MCPORTER_OAUTH_NO_BROWSER: '1', MCPORTER_NO_KEEPALIVE: 'fairway' },
    })
    const said = { out: '', all: '' }
    child.stdout.on('data', chunk => (said.out += String(chunk)))
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said.all += String(chunk)))
    const ended = new Promise<number | null>(resolve => child.once('close', resolve))
    return { child, said, ended }
  }

  async function succeed(...args: string[]): Promise<string> {
    const { child, said, ended } = run(...args)
    const timer = setTimeout(() => child.kill(), 30_000)
    const code = await ended
    clearTimeout(timer)
    if (code !== 0) throw new Error(said.all)
    return said.out
  }

  const tokenFile = join(cache, 'tokens.json')
  const readTokens = (): ClientTokens => JSON.parse(readFileSync(tokenFile, 'utf8'))
  return {
    async start() {
      state.signIn = run('auth', 'fairway', '--no-browser')
      const { said, ended } = state.signIn
      const over = ended.then(() => true)
      while (!ADDRESS.test(said.all)) {
        const isOver = await Promise.race([over, new Promise<false>(resolve => setTimeout(resolve, 50, false))])
        if (isOver) throw new Error(`it did not ask:\n${said.all}`)
      }
      return new URL(ADDRESS.exec(said.all)?.[0] ?? '')
    },
    async comeBack(back) {
      await fetch(back)
      const code = await state.signIn?.ended
      if (code !== 0) throw new Error(state.signIn?.said.all)
    },
    listTools: async () => JSON.parse(await succeed('list', 'fairway', '--json')).tools,
    callTool: async (name, args) =>
      succeed('call', `fairway.${name}`, '--args', JSON.stringify(args), '--output', 'json', '--no-oauth'),
    tokens: async () => readTokens(),
    expire: async ended => {
      const over = { ...readTokens(), access_token: ended, expires_at: Math.floor(Date.now() / 1000) - 1 }
      writeFileSync(tokenFile, JSON.stringify(over))
    },
    forget: async () => {
      await succeed('config', 'logout', 'fairway')
      rmSync(cache, { recursive: true, force: true })
    },
    // A process without a browser cannot ask the person again.
    askedAgain: async () => undefined,
    async stop() {
      state.signIn?.child.kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
