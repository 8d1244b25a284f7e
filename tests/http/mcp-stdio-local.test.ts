import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleDir } from '../../scripts/sample.mjs'
import { fw, FW_PROGRAM, startFw } from '../support/fw'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { countRows, query } from '../support/query'
import { databaseOf } from '../support/server'
import { useServer } from '../support/use-server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }

const server = useServer({ env: { NODE_ENV: 'development' } })
let browser: TestBrowser
beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
})
beforeEach(() => query(server, 'delete from notes'))

const localEnv = () => ({
  FW_DATA_DIR: server.dataDir,
  DATABASE_URL: databaseOf(server),
  BETTER_AUTH_SECRET: server.secret,
  AUTH_MODE: 'local',
})
const program = () => ({
  command: 'node',
  args: [FW_PROGRAM, 'mcp', 'stdio'],
  cwd: sampleDir,
  env: { PATH: process.env.PATH ?? '', ...localEnv() },
  stderr: 'pipe' as const,
})

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: { approve: boolean } }
const yes: Answer = { action: 'accept', content: { approve: true } }

/** A 2026-07-28 host that started the program. `answer` returns the person's response to its question. */
async function connect(answer: () => Answer): Promise<Client> {
  const capabilities = { elicitation: {} }
  const client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } })
  client.setRequestHandler('elicitation/create', answer)
  await client.connect(new StdioClientTransport(program()))
  return client
}

/** The same for a 2025-11-25 host. */
async function connectEarlier(answer: () => Answer): Promise<EarlierClient> {
  const client = new EarlierClient({ name: 'host', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, answer)
  await client.connect(new EarlierStdio(program()))
  return client
}

const hosts = [
  ['2026-07-28', connect],
  ['2025-11-25', connectEarlier],
] as const

async function aNote(): Promise<string> {
  const answer = await browser.post('/_fw/actions/create-note', { json: { title: 'Mine' } })
  return (await answer.json()).result.note.id
}

describe.each(hosts)('fw mcp stdio without an address, for a host of %s', (_revision, connectHost) => {
  let said = yes
  let host: Awaited<ReturnType<typeof connectHost>>
  beforeAll(async () => {
    host = await connectHost(() => said)
  })
  afterAll(() => host.close())

  it('serves the tools, documents and prompts of this folder as the signed-in person', async () => {
    const names = (await host.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['create-note', 'list-notes', 'delete-note']))
    const { structuredContent } = await host.callTool({ name: 'create-note', arguments: { title: 'In process' } })
    expect(structuredContent).toMatchObject({ note: { title: 'In process', ownerEmail: ada.email } })
    const { resources } = await host.listResources()
    expect(resources.map(({ title }) => title)).toEqual(['In process', 'Notes'])
    const [note] = (await host.readResource({ uri: resources[0]?.uri ?? '' })).contents
    expect(note).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('# In process') })
    const prompt = await host.getPrompt({ name: 'summarize-notes', arguments: { subject: 'ports' } })
    expect(prompt.messages).toHaveLength(1)
    const seen = await (await browser.get('/_fw/actions/list-notes')).json()
    expect(seen.result.notes).toMatchObject([{ title: 'In process' }])
    const rows = await query(server, 'select caller, via from audit_log order by id desc limit 1')
    expect(rows).toMatchObject([{ caller: 'mcp', via: 'fw mcp stdio' }])
  })

  it.each([
    [yes, undefined, 0],
    [{ action: 'decline' }, 'not-approved', 1],
    [{ action: 'cancel' }, 'approval-unanswered', 1],
  ] as [Answer, string | undefined, number][])(
    'asks for approval before a destructive action: %j',
    async (answer, code, left) => {
      said = answer
      const result = await host.callTool({ name: 'delete-note', arguments: { id: await aNote() } })
      const problem = (result._meta?.['fairway/error'] ?? {}) as { code?: string }
      expect([result.isError ?? false, problem.code]).toEqual([code !== undefined, code])
      expect(await countRows(server, 'notes')).toBe(left)
    },
  )

  it('rejects calls after the session has ended and serves them after the next sign-in', async () => {
    expect((await host.listTools()).tools.length).toBeGreaterThan(3)
    await browser.request('/_fw/session', { method: 'DELETE' })
    await expect(host.callTool({ name: 'list-notes', arguments: {} })).rejects.toThrow(/Nobody is signed in/)
    await expect(host.listResources()).rejects.toThrow(/Nobody is signed in/)
    await browser.post('/_fw/auth/sign-in/email', { json: { email: ada.email, password: ada.password } })
    expect((await host.callTool({ name: 'list-notes', arguments: {} })).isError).toBeFalsy()
  })
})

describe('fw mcp stdio process', () => {
  it('writes only the protocol to standard output and ends with its input', async () => {
    const child = startFw(['mcp', 'stdio'], localEnv())
    child.write('{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n')
    await child.until(/"id":7/)
    child.end()
    const { code, out, err } = await child.ended
    const messages = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect([code, messages]).toEqual([0, [expect.objectContaining({ jsonrpc: '2.0', id: 7 })]])
    expect(err).toContain(`Acting as ${ada.email}.`)
  })

  it('names both options when neither an address nor AUTH_MODE=local is given', async () => {
    const { code, out, err } = await fw(['mcp', 'stdio'], { ...localEnv(), AUTH_MODE: '' })
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/fw mcp stdio https.*AUTH_MODE=local/s)])
  })

  it('exits in production, and asks for FW_USER_EMAIL when several people are signed in', async () => {
    const production = await fw(['mcp', 'stdio'], { ...localEnv(), NODE_ENV: 'production', FW_BASE_URL: server.origin })
    expect([production.code, production.out]).toEqual([2, ''])
    expect(production.err).toContain('nobody in production')
    await signUp(createBrowser(server.origin), { ...ada, email: 'bob@example.test', name: 'Bob' })
    const several = await fw(['mcp', 'stdio'], localEnv())
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('FW_USER_EMAIL')])
    const chosen = startFw(['mcp', 'stdio'], { ...localEnv(), FW_USER_EMAIL: 'bob@example.test' })
    await chosen.until(/Acting as bob@example.test/)
    chosen.end()
    expect((await chosen.ended).code).toBe(0)
  })
})
