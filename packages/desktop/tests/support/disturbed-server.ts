import { createServer, request as askServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface Asked {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  body: Buffer
  cookies: Map<string, string>
}

interface Answer {
  status?: number
  headers?: IncomingMessage['headers']
  body?: Buffer
  /** Replaces the body. */
  json?: unknown
  html?: string
  location?: string
  cookies?: string[]
}

type Rule = (asked: Asked, next: () => Promise<Answer>) => Answer | Promise<Answer>

/** The secrets of a run, which must not appear in any message, each with its description. */
export type Secrets = Map<string, string>

/** The public side of a server: it forwards requests, records them, and can replace responses. */
export interface DisturbedServer {
  origin: string
  /** `GET /path` of every request so far. `{id}` replaces the id of a ceremony. */
  asked: string[]
  /** Sets the rule that answers `GET /path` from now on; undefined removes it. `next` returns the real server's response. */
  rule(what: string, rule: Rule | undefined): void
  count(what: string): number
  stop(): Promise<void>
}

interface DisturbedInput {
  /** The address that it listens on. */
  origin: string
  /** The server behind it. Without one, only requests with a rule succeed. */
  target?: string
  /** Collects the credentials that pass through. */
  secrets: Secrets
}

/** Starts the public side of a server on this origin. */
export async function startDisturbedServer({ origin, target, secrets }: DisturbedInput): Promise<DisturbedServer> {
  const rules = new Map<string, Rule>()
  const asked: string[] = []
  const listener = createServer(async (request, response) => {
    const question = await readAsked(request, origin)
    const what = `${question.method} ${question.url.pathname.replace(/(ceremonies\/)[^/]+/, '$1{id}')}`
    asked.push(what)
    keepAsked(secrets, question)
    // A request that a test held back must not reach the server after the test: another test may use it by then.
    const next = async () => (target && listener.listening ? pass(question, target) : { status: 502 })
    const answer = await answerOf(rules.get(what), question, next)
    keepAnswer(secrets, answer)
    send(response, answer)
  })
  const { hostname, port } = new URL(origin)
  await new Promise<void>(resolve => listener.listen(Number(port), hostname, resolve))
  return {
    origin,
    asked,
    rule: (what, rule) => (rule ? rules.set(what, rule) : rules.delete(what)),
    count: what => asked.filter(one => one === what).length,
    stop() {
      listener.closeAllConnections()
      return new Promise(resolve => listener.close(() => resolve()))
    },
  }
}

async function answerOf(rule: Rule | undefined, asked: Asked, next: () => Promise<Answer>): Promise<Answer> {
  try {
    return await (rule ? rule(asked, next) : next())
  } catch {
    return { status: 502 }
  }
}

async function readAsked(request: IncomingMessage, origin: string): Promise<Asked> {
  const { method = 'GET', headers, url = '/' } = request
  const pairs = (headers.cookie ?? '').split('; ').filter(Boolean)
  return {
    method,
    url: new URL(origin + url),
    headers,
    body: await bytesOf(request),
    cookies: new Map(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
  }
}

function pass({ method, url, headers, body }: Asked, target: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const passed = askServer(target + url.pathname + url.search, { method, headers }, async answer => {
      const { location, 'set-cookie': cookies, ...others } = answer.headers
      resolve({ status: answer.statusCode, headers: others, location, cookies, body: await bytesOf(answer) })
    })
    passed.once('error', reject)
    passed.end(body)
  })
}

/** Headers of a single connection, or of a body that a rule may have replaced. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

function send(response: ServerResponse, { status, headers, location, cookies, ...content }: Answer): void {
  const { type, body } = contentOf(content)
  response.statusCode = status ?? (location ? 302 : 200)
  const all = { ...headers, ...(type ? { 'content-type': type } : {}), location, 'set-cookie': cookies }
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && !OWN_HEADERS.has(name)) response.setHeader(name, value)
  }
  response.end(body)
}

function contentOf({ body, json, html }: Answer): { type?: string; body?: Buffer | string } {
  if (html !== undefined) return { type: 'text/html; charset=utf-8', body: html }
  return json === undefined ? { body } : { type: 'application/json', body: JSON.stringify(json) }
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const KINDS: Record<string, string> = { code_verifier: 'verifier of an application' }
const PARAMETERS = /\b(code|state|nonce|code_verifier)(?:=|":")([\w-]+)/g

function keepParameters(secrets: Secrets, text: string): void {
  for (const [, name = '', value = ''] of text.matchAll(PARAMETERS)) secrets.set(value, KINDS[name] ?? name)
}

function keepAsked(secrets: Secrets, { url, headers, body, cookies }: Asked): void {
  for (const [name, value] of cookies) secrets.set(value, `cookie ${name}`)
  keepParameters(secrets, url.search + body.toString())
  const verifier = headers['x-fairway-verifier']
  if (verifier) secrets.set(String(verifier), 'verifier of the desktop application')
}

function keepAnswer(secrets: Secrets, { location = '', cookies = [], body }: Answer): void {
  for (const cookie of cookies) secrets.set(/=([^;]*)/.exec(cookie)?.[1] ?? '', 'cookie that was set')
  keepParameters(secrets, location)
  const assertion = /"assertion":"([^"]+)"/.exec(body?.toString() ?? '')?.[1]
  if (assertion) secrets.set(assertion, 'assertion')
}
