import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findNginx } from '../../scripts/nginx.mjs'
import { connectHost } from '../support/mcp'
import { createBrowser, plainRequest, sessionOf } from '../support/http'
import { startSmtp } from '../support/mail'
import { confirmAddress, query } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { borrowServer, freePort, type OwnServer, startServer } from '../support/server'

const nginxPath = findNginx()
const NGINX = nginxPath ?? 'nginx'
/** How many idle connections the proxy keeps. With more of them, more are near the idle limit when the next request arrives. */
const PROXY_KEEPS = 256

const person = { email: 'ada@example.test', password: 'zebra quilt 7 lantern', name: 'Ada' }

/** The published recipe with another port, name and certificate. */
function recipe(port: number, upstream: number): string {
  const servers = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace(/server \{\s*listen 80;[\s\S]*?\n\}/, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replaceAll('app.example.com', 'localhost')
    .replace(/^\s*ssl_certificate.*$/gm, '')
    .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
    .replace('keepalive 16;', `keepalive ${PROXY_KEEPS};`)
  return servers
}

function configure(servers: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fw-nginx-'))
  mkdirSync(join(folder, 'logs'))
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const places = kinds.map(kind => `${kind}_temp_path ${join(folder, kind)};`).join('\n')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;\nworker_processes 1;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'error.log')};\n` +
      `events { worker_connections 2048; }\nhttp {\naccess_log off;\n${places}\n${servers}\n}\n`,
  )
  return file
}

it('announces the configured idle timeout in the keep-alive header', async () => {
  const server = await borrowServer({ env: { FW_IDLE_CONNECTIONS: '90' } })
  const answer = await fetch(`${server.origin}/_fw/health/live`)
  expect(answer.headers.get('keep-alive')).toBe('timeout=90')
  await server.stop()
})

describe.skipIf(!nginxPath)('Server behind nginx with deploy/nginx.conf', () => {
  let nginx: ChildProcess
  let server: OwnServer
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let origin: string

  beforeAll(async () => {
    const [port, upstream] = [await freePort(), await freePort()]
    origin = `http://localhost:${port}`
    smtp = await startSmtp()
    server = await startServer({
      env: {
        PORT: String(upstream),
        HOST: '127.0.0.1',
        FW_BASE_URL: origin,
        FW_TRUSTED_PROXIES: '127.0.0.1',
        FW_IDLE_CONNECTIONS: '130',
        SMTP_URL: smtp.url,
        EMAIL_FROM: 'no-reply@example.test',
        AUTH_SKIP_EMAIL_VERIFICATION: '1',
        ACCESS_TOKEN: STATIC_TOKEN,
        FW_OWNER_EMAIL: person.email,
      },
    })
    const file = configure(recipe(port, upstream))
    nginx = spawn(NGINX, ['-c', file], { stdio: 'ignore' })
    await vi.waitFor(async () => expect((await fetch(`${origin}/_fw/health/live`)).status).toBe(200), {
      timeout: 10_000,
    })
  })
  afterAll(async () => {
    const ended = once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await ended
    await server.stop()
    await smtp.stop()
  })

  it('signs people in and stores their real address despite a forged X-Forwarded-For', async () => {
    const answer = await plainRequest(origin, {
      path: '/_fw/auth/sign-up/email',
      method: 'POST',
      // Differs from the proxy's address.
      localAddress: '127.0.0.2',
      headers: {
        origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-forwarded-for': '9.9.9.9',
      },
      body: JSON.stringify(person),
    })
    expect([answer.status, answer.headers.getSetCookie().length > 0]).toEqual([200, true])
    expect(await query(server, 'select ip_address from sessions')).toEqual([{ ip_address: '127.0.0.2' }])
    const browser = createBrowser(origin)
    const signedIn = await browser.post('/sign-in', { form: { intent: 'password', ...person } })
    expect(signedIn.status).toBe(303)
    expect(await sessionOf(browser)).toMatchObject({ email: person.email })
  })

  it('sends links with the origin of the proxy', async () => {
    await createBrowser(origin).post('/sign-in', { form: { intent: 'magic-link', email: person.email } })
    expect(new URL((await smtp.mailTo(person.email, /Sign in/)).link).origin).toBe(origin)
  })

  it('serves a tool call of an MCP host', async () => {
    await confirmAddress(server, person.email)
    const host = await connectHost(origin)
    const { content } = await host.callTool({ name: 'list-members', arguments: {} })
    expect(JSON.stringify(content)).toContain(person.email)
    await host.close()
  })

  // The proxy keeps connections for 60 seconds. When a kept connection breaks, nginx repeats a GET request but not a POST.
  it('returns 200 for 4,000 requests with pauses near Node’s default idle timeout, and no 502', async () => {
    const { keepAliveTimeout, keepAliveTimeoutBuffer } = new Server()
    const agent = new Agent({ keepAlive: true, maxSockets: PROXY_KEEPS })
    const headers = { authorization: `Bearer ${STATIC_TOKEN}`, 'content-type': 'application/json' }
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const counts: Record<number, number> = {}
    let left = 4000
    const sendUntil = async (rest: number) => {
      while (left > rest) {
        left--
        const { status } = await plainRequest(origin, { path: '/mcp', method: 'POST', agent, headers, body })
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    for (const [rest, early] of [
      [3000, 60],
      [2000, 50],
      [1000, 40],
      [0, 0],
    ] as const) {
      await Promise.all(Array.from({ length: PROXY_KEEPS }, () => sendUntil(rest)))
      if (rest > 0) await setTimeout(keepAliveTimeout + keepAliveTimeoutBuffer - early)
    }
    agent.destroy()
    expect(counts).toEqual({ 200: 4000 })
  })
})

it.skipIf(!nginxPath)('deploy/nginx.conf passes the configuration test of nginx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-certificate-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=app.example.com']
  spawnSync('openssl', [...options, '-keyout', key, '-out', certificate])
  const text = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
  const local = text.replace(/\S+fullchain\.pem/, certificate).replace(/\S+privkey\.pem/, key)
  const test = (servers: string) => spawnSync(NGINX, ['-t', '-q', '-c', configure(servers)], { encoding: 'utf8' })
  expect(test(local)).toMatchObject({ status: 0, stderr: '' })
  expect(test(local.replace('proxy_pass', 'proxy_past')).status).not.toBe(0)
})
