import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Browser, type BrowserContext, chromium, expect as expectPage, type Page } from '@playwright/test'
import { expect } from 'vitest'
import { z } from 'zod'
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs'
import { startOAuthHost } from '../support/oauth-host'
import { outsideEnv, run } from './project'
import type { Step } from './tutorial-steps'
import { writeFiles } from '../support/files'

const WRITTEN = 'http://localhost:3000'
const SERVER = /^npm (run dev|start)$|\snpm start$/
const PATIENCE_IN_MS = 90_000

interface Window {
  context: BrowserContext
  page: Page
}

/** A reader who follows a tutorial in this folder. Programs in `commands` take precedence over those in the path. */
export async function startReader(folder: string, commands: string) {
  const home = join(folder, 'home')
  mkdirSync(home)
  const env = { ...outsideEnv(), HOME: home, PATH: `${commands}:${outsideEnv().PATH}`, npm_config_offline: 'true' }
  const browser: Browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags })
  const state = { folder, origin: WRITTEN, output: '', server: undefined as ChildProcess | undefined }
  const own = await openWindow(browser)
  const windows = { own, current: own }
  const host = createHost(home)
  const here = (text: string) => text.replaceAll(WRITTEN, state.origin)

  const doing: { [Kind in Step['kind']]: (step: Extract<Step, { kind: Kind }>) => Promise<unknown> | unknown } = {
    async commands({ lines }) {
      state.output = ''
      for (const line of lines) await runLine(line)
    },
    output({ lines }) {
      for (const line of lines) expect(plain(state.output)).toContain(line)
    },
    file: ({ path, text }) => writeFiles(state.folder, { [path]: text }),
    change({ path, before, after }) {
      const now = readFileSync(join(state.folder, path), 'utf8')
      expect(now.split(before)).toHaveLength(2)
      writeFiles(state.folder, { [path]: now.replace(before, () => after) })
    },
    async open({ url, isPrivate }) {
      if (isPrivate) windows.current = await openWindow(browser)
      // A development server is briefly unavailable while it restarts, for example after a new table.
      const visit = () => windows.current.page.goto(here(url))
      await expectPage(visit).toPass({ timeout: PATIENCE_IN_MS })
    },
    press: ({ name }) => press(windows.current.page, name),
    tick: ({ name }) => windows.current.page.getByRole('checkbox', { name }).check(),
    async see({ name }) {
      const isSeen = () => expectPage(shown(windows.current.page, name)).toBeVisible({ timeout: PATIENCE_IN_MS / 2 })
      // A page that was opened while the development server restarted is loaded again, as a reader would do.
      await isSeen().catch(() => windows.current.page.reload().then(isSeen))
    },
    miss: ({ name }) => expectPage(shown(windows.current.page, name)).toBeHidden({ timeout: PATIENCE_IN_MS }),
    type: ({ text, into }) => windows.current.page.getByRole('textbox', { name: into }).fill(text),
    choose: ({ path }) => windows.current.page.locator('input[type=file]').setInputFiles(join(state.folder, path)),
    'host-asks': async () => windows.current.page.goto(await host.ask()),
    tool: ({ name, input }) => host.call(name, z.record(z.string(), z.unknown()).parse(JSON.parse(input))),
    interrupt: () => stopServer(),
  }

  async function runLine(line: string): Promise<void> {
    const command = here(line)
    if (line.startsWith('cd ')) return void (state.folder = join(state.folder, line.slice(3)))
    if (SERVER.test(line)) return startServer(command)
    const { code, out, seconds } = await run(state.folder, 'sh', ['-c', command], env)
    console.log(`${line}: ${seconds.toFixed(1)} s`)
    state.output += out
    expect(code, out).toBe(0)
  }

  /** Starts a server in the background, as in a second terminal. A development server prints its address. */
  async function startServer(command: string): Promise<void> {
    const { port } = new URL(state.origin)
    const child = spawn('sh', ['-c', command], {
      cwd: state.folder,
      env: command.includes('dev') ? env : { ...env, PORT: port },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    state.server = child
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (state.output += String(chunk)))
    const limit = performance.now() + PATIENCE_IN_MS
    for (;;) {
      const origin = command.includes('dev') ? /\[dev\].* open (http\S+)/.exec(plain(state.output))?.[1] : state.origin
      const answer = origin && (await fetch(`${origin}/_fw/health/ready`).catch(() => undefined))
      if (origin && answer && answer.ok) return void (state.origin = origin)
      if (child.exitCode !== null || performance.now() > limit) throw new Error(`${command}:\n${state.output}`)
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }

  async function stopServer(): Promise<void> {
    const { server } = state
    if (!server?.pid || server.exitCode !== null) return
    const ended = new Promise(resolve => server.once('close', resolve))
    process.kill(-server.pid, 'SIGINT')
    await ended
  }

  return {
    state,
    /** Follows the steps of one section, starting in the reader's own window. */
    async follow(steps: readonly Step[]): Promise<void> {
      windows.current = windows.own
      for (const step of steps) await (doing[step.kind] as (step: Step) => unknown)(step)
    },
    async stop(): Promise<void> {
      await stopServer()
      await host.stop()
      await browser.close()
    },
  }
}

const plain = (text: string) => stripVTControlCharacters(text)
const shown = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first()

async function openWindow(browser: Browser): Promise<Window> {
  const context = await browser.newContext({ locale: 'en-GB' })
  return { context, page: await context.newPage() }
}

async function press(page: Page, name: string): Promise<void> {
  const target = page
    .getByRole('button', { name })
    .or(page.getByRole('link', { name }))
    .filter({ visible: true })
    .first()
  await target.click({ timeout: PATIENCE_IN_MS })
}

const hostFile = z.object({ mcpServers: z.record(z.string(), z.object({ type: z.literal('http'), url: z.url() })) })

/** The part of Claude Code that the tutorial uses: it reads its own file, signs in with OAuth in a browser and calls a tool. */
function createHost(home: string) {
  const kept: {
    oauth?: Awaited<ReturnType<typeof startOAuthHost>>
    url?: URL
    transport?: StreamableHTTPClientTransport
  } = {}
  const connect = async () => {
    const client = new Client({ name: 'Claude Code', version: '2' }, { versionNegotiation: { mode: 'auto' } })
    kept.transport = new StreamableHTTPClientTransport(kept.url!, { authProvider: kept.oauth!.provider })
    await client.connect(kept.transport)
    return client
  }
  return {
    /** Tries to connect; returns the address that the person is sent to. */
    async ask(): Promise<string> {
      const file = join(home, '.claude.json')
      expect(existsSync(file)).toBe(true)
      const [server] = Object.values(hostFile.parse(JSON.parse(readFileSync(file, 'utf8'))).mcpServers)
      kept.url = new URL(server?.url ?? '')
      kept.oauth = await startOAuthHost('Claude Code')
      await expect(connect()).rejects.toThrow()
      return kept.oauth.asked()!.href
    },
    async call(name: string, input: Record<string, unknown>): Promise<void> {
      const brought = await kept.oauth!.cameBack()
      await kept.transport!.finishAuth(brought.get('code')!, brought.get('iss') ?? undefined)
      const client = await connect()
      expect((await client.listTools()).tools.map(tool => tool.name)).toContain(name)
      const { isError, content } = await client.callTool({ name, arguments: input })
      await client.close()
      expect(isError, JSON.stringify(content)).not.toBe(true)
    },
    stop: async () => kept.oauth?.stop(),
  }
}
