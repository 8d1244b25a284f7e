import { describe, expect, it } from 'vitest'
import { createBrowser, raw, signUp } from '../support/http'
import { borrowServer } from '../support/server'
import { useServer } from '../support/use-server'

const server = useServer()

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}${path}`, { headers, redirect: 'manual' })

describe('application pages', () => {
  it.each(['/', '/notes', '/settings', '/about', '/no/such/page'])(
    'have the same bytes and headers for every visitor: %s',
    async path => {
      const member = createBrowser(server.origin)
      await signUp(member, {
        email: `shell${path.replaceAll('/', '-')}@example.test`,
        password: 'zebra quilt 7 lantern',
        name: 'Secret Name',
      })
      const variants: Record<string, string>[] = [
        {},
        { cookie: member.cookieHeader() },
        { authorization: 'Bearer abc' },
        { 'accept-language': 'de', 'user-agent': 'Other/1.0' },
        { 'x-forwarded-host': 'evil.test', 'x-forwarded-for': '127.0.0.1', 'x-nuxt-no-ssr': '1' },
      ]
      const answers = await Promise.all(variants.map(headers => get(path, headers)))
      const bodies = await Promise.all(answers.map(answer => answer.text()))
      expect(new Set(bodies).size).toBe(1)
      expect(bodies[0]).not.toMatch(/Secret Name|shell-[a-z-]*@example|evil\.test/)
      for (const answer of answers) {
        expect(answer.headers.get('set-cookie')).toBeNull()
        expect(answer.headers.get('vary') ?? '').not.toMatch(/cookie/i)
        expect(answer.headers.get('cache-control')).toBe(
          'public, max-age=0, s-maxage=600, stale-while-revalidate=604800, stale-if-error=3600',
        )
        expect(answer.headers.get('etag')).toBe(answers[0]?.headers.get('etag'))
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      }
    },
  )

  it('preload the typeface, which the server has, and name a social image that it has', async () => {
    const html = await (await get('/about')).text()
    const [, font = ''] = /<link rel="preload" href="([^"]+)" as="font"/.exec(html) ?? []
    const [, image = ''] = /property="og:image" content="([^"]+)"/.exec(html) ?? []
    const answers = await Promise.all([font, new URL(image).pathname].map(path => get(path)))
    expect(answers.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
      [200, 'font/woff2'],
      [200, 'image/png'],
    ])
  })

  it('do not include the query', async () => {
    expect(await (await get('/about?x=%3Cscript%3E-marker')).text()).not.toContain('marker')
    expect(await (await get('/notes?x=marker')).text()).not.toContain('marker')
  })

  it('share one shell when private, except for their scripts, and contain real content when public', async () => {
    const shells = await Promise.all(['/notes', '/settings'].map(async path => (await get(path)).text()))
    expect(shells[0]).not.toBe(shells[1])
    const bare = shells.map(html => html.replaceAll(/<link rel="modulepreload" crossorigin[^>]*>/g, ''))
    expect(bare[0]).toBe(bare[1])
    expect(await (await get('/notes/1')).text()).toBe(await (await get('/notes/2')).text())
    const about = await (await get('/about')).text()
    expect(about).toMatch(/<h1[^>]*>/)
  })

  it('link to sign-in with the return path when public, regardless of the first visitor’s query', async () => {
    const about = await (await get('/about?x=1')).text()
    const links = [...about.matchAll(/href="(\/sign-in[^"]*)"/g)].map(([, href]) => href)
    expect(links.length).toBeGreaterThan(1)
    expect(new Set(links)).toEqual(new Set(['/sign-in?return=%2Fabout', '/sign-in?return=%2F#sign-up']))
  })

  it('return 304 for a matching ETag, which differs for each encoding', async () => {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const first = await get('/notes', { 'accept-encoding': encoding })
      const etag = first.headers.get('etag') ?? ''
      await first.arrayBuffer()
      expect(etag).toMatch(/^"[\w-]+"$/)
      const again = await get('/notes', { 'accept-encoding': encoding, 'if-none-match': etag })
      expect(again.status).toBe(304)
    }
    expect((await get('/notes', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it.each(['/', '/notes', '/notes/1', '/team/members', '/about', '/about?lang=de', '/no/such/page', '/sign-in'])(
    'are the same in every organization, which the server does not look up: %s',
    async path => {
      const told = async (at: string) => {
        const answer = await get(at, { 'accept-encoding': 'br' })
        const headers = [...answer.headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
        return { status: answer.status, headers, body: await answer.text() }
      }
      const isServed = path === '/sign-in'
      const plain = await told(isServed ? '/no/such/page' : path)
      for (const slug of ['acme', 'acme', 'no-such-place', 'ACME', '%41cme', '東京'])
        expect(await told(`/o/${slug}${path === '/' ? '' : path}`), slug).toEqual(plain)
    },
  )

  it('return an HTML page with 404 for an unknown path', async () => {
    const answer = await get('/no/such/page')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toMatch(/text\/html/)
  })

  it('return 405 with Allow for other methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${server.origin}/notes`, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  it('return the headers of GET without a body for HEAD', async () => {
    const head = await fetch(`${server.origin}/notes`, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('etag')).toMatch(/^"/)
    expect(await head.text()).toBe('')
  })

  it.each(['live', 'ready'])('answer HEAD of /_fw/health/%s for uptime checks', async name => {
    expect((await fetch(`${server.origin}/_fw/health/${name}`, { method: 'HEAD' })).status).toBe(200)
  })

  it('allow only their own inline scripts, by hash', async () => {
    for (const path of ['/notes', '/about']) {
      const answer = await get(path)
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/script-src 'self'( 'sha256-[^']+')*;/)
      for (const part of [`frame-ancestors 'self'`, `object-src 'none'`, `base-uri 'none'`])
        expect(policy).toContain(part)
      expect(policy.match(/script-src[^;]*/)?.[0]).not.toMatch(/unsafe|nonce/)
    }
  })

  it('follow FW_SHELL_CACHE for shared caches: off or a number of seconds', async () => {
    for (const [value, expected] of [
      ['off', 'no-store'],
      ['30', 'public, max-age=0, s-maxage=30,'],
    ] as const) {
      const other = await borrowServer({ env: { FW_SHELL_CACHE: value } })
      const answer = await fetch(`${other.origin}/notes`)
      expect(answer.headers.get('cache-control')).toContain(expected)
      await other.stop()
    }
  })
})

describe('server', () => {
  it('rejects TRACE without repeating the request', async () => {
    for (const path of ['/notes', '/_fw/session', '/mcp']) {
      const answer = await raw(
        server.origin,
        `TRACE ${path} HTTP/1.1\r\nHost: localhost\r\nX-Mine: echoed\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(answer).not.toContain('echoed')
    }
  })

  it('does not list folders', async () => {
    for (const path of ['/_nuxt/', '/_nuxt', '/.git/', '/.data/', '/drizzle/']) {
      const answer = await get(path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.text()).not.toMatch(/\.(js|css|sql|db)<\/a>/)
    }
  })
})

describe('response headers', () => {
  it('prevent content sniffing and send no address to other sites for every kind of response', async () => {
    const script = /\/_nuxt\/[\w-]+\.js/.exec(await (await get('/')).text())?.[0] ?? ''
    expect((await get(script)).status).toBe(200)
    const documents = ['/docs.jsonld', '/.well-known/oauth-authorization-server', '/_fw/openapi.json']
    for (const path of [script, '/', '/sign-in', '/favicon.ico', '/_fw/session', '/mcp', '/nothing', ...documents]) {
      const { headers } = await get(path)
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
      expect(headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/)
    }
  })
})

describe('paths that are not pages', () => {
  it.each(['/_fw', '/_fw/nothing', '/_fw/../_fw/nothing', '/.well-known/unknown', '/api/unknown', '/_nuxt/unknown.js'])(
    'return 404 as problem details: %s',
    async path => {
      const answer = await get(path)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      const body = await answer.json()
      expect(body).toMatchObject({ type: 'urn:fairway:error:not-found', status: 404, code: 'not-found' })
      expect(answer.headers.get('x-request-id')).toBe(body.requestId)
    },
  )

  it.each([
    '/%',
    '/%zz',
    '/%00',
    '/%ff',
    '//evil.test',
    '/..%2f..%2fetc/passwd',
    '/\u00e9',
    `/${'a'.repeat(4000)}`,
    '/__nuxt_error?status=500',
    '/__nuxt_island/x.json',
    '/about/_payload.json',
  ])('return no server error and no redirect: %s', async path => {
    const answer = await get(path)
    expect(answer.status).toBeLessThan(500)
    expect(answer.headers.get('location')).toBeNull()
  })
})
