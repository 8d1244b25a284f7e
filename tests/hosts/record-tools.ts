// Records what released hosts send to a model of the tools of a server: node tests/hosts/record-tools.ts <host> <program>
// A host runs with a new home folder. Its model is this process, which keeps the tools of the first request and refuses it.
// On Linux, run it inside `unshare -rn` with the loopback interface up, so that nothing leaves the machine.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { markOf, unusualTools } from './unusual-tools.ts'

/** A tool in a request to a model; parts that did not change are missing. */
interface Sent {
  as: string
  description?: number
  schema?: Record<string, unknown>
}
interface Spec {
  name?: string
  description?: string
  parameters?: Record<string, unknown>
  parametersJsonSchema?: Record<string, unknown>
  input_schema?: Record<string, unknown>
  function?: Spec
  functionDeclarations?: Spec[]
  tools?: Spec[]
}

const FILE = join(import.meta.dirname, 'recorded-tools.json')
const self = { command: process.execPath, args: [import.meta.filename, 'serve'] }
const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** For each host: the files in its home, its arguments and its environment. */
const HOSTS: Record<string, (model: string) => { files: Record<string, string>; args: string[]; env: object }> = {
  'claude-code': model => ({
    files: { 'mcp.json': json({ mcpServers: { fairway: self } }) },
    args: ['-p', 'hi', '--mcp-config', '../mcp.json', '--strict-mcp-config'],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
  codex: model => ({
    files: {
      '.codex/config.toml': `model = "gpt-5"
model_provider = "recorder"
[model_providers.recorder]
name = "recorder"
base_url = "${model}/v1"
wire_api = "responses"
[mcp_servers.fairway]
command = ${JSON.stringify(self.command)}
args = ${JSON.stringify(self.args)}
[analytics]
enabled = false
`,
    },
    args: ['exec', '--skip-git-repo-check', 'hi'],
    env: {},
  }),
  gemini: model => ({
    files: {
      '.gemini/settings.json': json({
        // Without `trust`, it leaves out tools that it would ask for, because nobody can answer.
        mcpServers: { fairway: { ...self, trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
    args: ['-p', 'hi', '-m', 'gemini-2.5-pro'],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model },
  }),
  copilot: model => ({
    files: { '.copilot/mcp-config.json': json({ mcpServers: { fairway: { type: 'local', tools: ['*'], ...self } } }) },
    args: ['-p', 'hi', '--allow-all-tools'],
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'gpt-5',
    },
  }),
}

/** An MCP server on standard input and output. */
function serve(): void {
  const info = { capabilities: { tools: {} }, serverInfo: { name: 'fairway', version: '1.0.0' } }
  createInterface({ input: process.stdin }).on('line', line => {
    const { id, method } = JSON.parse(line)
    if (id === undefined) return
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-06-18', ...info }
        : method === 'tools/list' && { tools: unusualTools }
    const answer = result ? { result } : { error: { code: -32_601, message: 'There is no such method.' } }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
  })
}

/** The functions of a request to a model, with the namespace of Codex before the name. */
const functionsOf = (specs: readonly Spec[], namespace = ''): Spec[] =>
  specs.flatMap(spec => [
    ...functionsOf([spec.function ?? [], spec.functionDeclarations ?? []].flat()),
    ...functionsOf(spec.tools ?? [], spec.name),
    ...(spec.name && !spec.tools ? [{ ...spec, name: namespace + spec.name }] : []),
  ])

/** Finds each tool in a request. */
function compare(functions: readonly Spec[]): Record<string, Sent> {
  const found = unusualTools.flatMap(({ name, description, inputSchema }): [string, Sent][] => {
    const spec = functions.find(each => each.description?.includes(markOf(name)))
    if (!spec) return []
    const schema = withoutAdditions(spec.parameters ?? spec.parametersJsonSchema ?? spec.input_schema ?? {})
    const changed = {
      ...(spec.description === description ? {} : { description: spec.description?.length ?? 0 }),
      ...(isDeepStrictEqual(schema, inputSchema) ? {} : { schema }),
    }
    return [[name, { as: spec.name ?? '', ...changed }]]
  })
  return Object.fromEntries(found)
}

/** Gemini CLI adds a field of its own to each input. */
function withoutAdditions(schema: Record<string, unknown>): Record<string, unknown> {
  const { wait_for_previous: _added, ...properties } = (schema.properties ?? {}) as Record<string, unknown>
  return schema.properties ? { ...schema, properties } : schema
}

/** Runs a host once and returns the functions of its first request with tools. */
async function record(host: string, program: string): Promise<Spec[]> {
  const { promise, resolve } = Promise.withResolvers<Spec[]>()
  const model = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request, Buffer.from)
    const body = Buffer.concat(chunks)
    const text = String(request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(body) : body)
    if (text.includes('fairway')) resolve(functionsOf(JSON.parse(text).tools ?? []))
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"recorded"}}')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => model.once('listening', resolve))
  const { files, args, env } = HOSTS[host]!(`http://127.0.0.1:${(model.address() as AddressInfo).port}`)
  const home = mkdtempSync(join(tmpdir(), 'fw-record-'))
  mkdirSync(join(home, 'work'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const isScript = program.endsWith('.js')
  const child = spawn(isScript ? process.execPath : program, [...(isScript ? [program] : []), ...args], {
    cwd: join(home, 'work'),
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const functions = await promise
  child.kill()
  model.close()
  return functions
}

const [host = '', program = ''] = process.argv.slice(2)
if (host === 'serve') serve()
else {
  const all = JSON.parse(readFileSync(FILE, 'utf8'))
  all[host] = { recorded: new Date().toISOString().slice(0, 10), tools: compare(await record(host, program)) }
  writeFileSync(FILE, `${json(all)}\n`)
  process.exit()
}
