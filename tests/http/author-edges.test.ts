import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'
import { buildServer, writeProject } from '../support/author-project'
import { connectHost } from '../support/mcp'
import { startSmtp } from '../support/mail'
import { statusAndCode } from '../support/error-code'
import { createBrowser, signUp } from '../support/http'
import { countRows, query } from '../support/query'
import { borrowServer, startServer, type OwnServer } from '../support/server'

const RULES = {
  '/outside/**': { proxy: '/api/echo' },
  '/old': { redirect: '/about' },
  '/**': { headers: { 'referrer-policy': 'no-referrer', 'x-own': 'rule' } },
}

/** Files of an application that come before the platform's files, by their name or by the order of folders. */
const FILES = {
  'nuxt.config.ts': `export default {
  extends: [${JSON.stringify(platformDir)}],
  routeRules: ${JSON.stringify(RULES)},
  serverHandlers: [{ route: '/api/marked/configured', handler: '~~/server/marking.ts' }],
}`,
  'server/utils/mark.ts': `import { sql } from 'drizzle-orm'
export const mark = async event => {
  const { db } = await useFairway(event, { public: true })
  await db.run(sql\`insert into marks values (1)\`)
  return 'marked'
}`,
  'server/marking.ts': `import { mark } from '#server/utils/mark'
export default defineEventHandler(mark)`,
  'server/api/marked/found.get.ts': `export default defineEventHandler(mark)`,
  'server/api/marked/public.get.ts': `export default definePublicRoute(mark)`,
  'server/middleware/01.marks.ts': `export default defineEventHandler(event =>
  event.path === '/api/marked/in-middleware' ? mark(event) : undefined)`,
  'server/plugins/marks.ts': `export default defineNitroPlugin(({ router }) => {
  router.get('/api/marked/in-a-plugin', defineEventHandler(mark))
})`,
  'modules/marks.ts': `import { addServerHandler, createResolver, defineNuxtModule } from '@nuxt/kit'
export default defineNuxtModule(() => addServerHandler({
  route: '/api/marked/by-a-module',
  handler: createResolver(import.meta.url).resolve('../server/marking.ts'),
}))`,
  'server/middleware/00.first.ts': `export default defineEventHandler(async event => {
  if (event.path === '/api/broken') throw createError({ statusCode: 404 })
  event.context.seen = { app: Boolean(event.context.app), email: (await getSession(event))?.email ?? null }
  appendResponseHeader(event, 'x-first', 'mine')
})`,
  'server/plugins/00.around.ts': `export default defineNitroPlugin(({ h3App }) => {
  const { handler } = h3App
  h3App.handler = defineEventHandler(event => {
    event.context.around = Boolean(event.context.app)
    return handler(event)
  })
})`,
  'server/api/echo.ts': `import { named } from '#server/utils/names'
import { shared } from '#shared/utils/both'
import { both } from '~~/shared/utils/both'
export default definePublicRoute(event => ({
  seen: event.context.seen, around: event.context.around, names: [named(), unnamed(), shared(), both(), here()],
}))`,
  'server/api/greet.post.ts': `import { enqueue } from '#fw'
export default defineEventHandler(async event => {
  const { db } = await useFairway(event)
  return { id: await enqueue(db, 'greet', { name: 'Ada' }) }
})`,
  'server/jobs/greet.ts': `import { z } from 'zod'
import { defineJob } from '#fw'
export default defineJob({
  description: 'Greets somebody.',
  input: z.object({ name: z.string() }),
  async run({ name }, { id, log, mail, orgId, progress, signal }) {
    progress(1, 2)
    await new Promise(resolve => setTimeout(resolve, 1200))
    signal.throwIfAborted()
    await mail('greeting', { to: 'ada@example.test', data: { name } })
    log.info('greeted', { name, id, isInOrg: orgId !== null })
    return { greeted: name }
  },
})`,
  'server/actions/greet-and-wait.ts': `import { z } from 'zod'
import { defineAction, enqueue, followJob } from '#fw'
export default defineAction({
  description: 'Greets somebody and waits for it.',
  input: z.object({ name: z.string() }),
  run: async ({ name }, { db, host, signal }) =>
    followJob(await enqueue(db, 'greet', { name }), { signal, progress: (done, total) => host?.progress(done, total) }),
})`,
  'server/mails/greeting.tsx': `/** @jsxImportSource vue */
import { z } from 'zod'
import { defineMail } from '#fw'
export default defineMail({
  description: 'Greets somebody.',
  data: z.object({ name: z.string() }),
  example: { name: 'Ada' },
  body: ({ name }, { t }) => <ul><li>{t('hello', { name })}</li></ul>,
  topic: 'greetings',
})`,
  'app/locales/en/mails.json': JSON.stringify({
    mails: { greeting: { subject: 'Hello, {name}', words: { hello: 'A good day to {name}' } } },
    mailTopics: { names: { greetings: 'Our greetings' } },
  }),
  'public/robots.txt': 'User-agent: *\nDisallow: /own\n',
  'app/pages/blog/[slug].vue':
    '<script setup lang="ts">definePageMeta({ public: true })</script><template><h1>Blog</h1></template>',
  'fw.config.ts': `import { defineFwConfig } from '#fw'
export default defineFwConfig({
  publicPages: { sitemap: ({ now }) => [{ path: '/blog/hello', changedAt: now() }, { path: '/team' }] },
})`,
  'server/api/private.get.ts': `export default defineEventHandler(async event => (await requireSession(event)).email)`,
  'server/utils/names.ts': `export const named = () => 'named'\nexport const unnamed = () => 'unnamed'`,
  'shared/utils/both.ts': `export const shared = () => 'shared'\nexport const both = () => 'both'\nexport const here = () => 'here'`,
}

const FOREIGN = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }

describe('Server code of an application', () => {
  let server: OwnServer
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  beforeAll(async () => {
    smtp = await startSmtp()
    const env = { SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' }
    server = await startServer({ output: await buildServer(writeProject(FILES)), env })
  }, 300_000)
  afterAll(() => Promise.all([server.stop(), smtp.stop()]))

  const get = (path: string, init?: RequestInit) => fetch(server.origin + path, { redirect: 'manual', ...init })

  it('runs after the platform, so middleware and outer handlers find the application and the session', async () => {
    const browser = createBrowser(server.origin)
    await signUp(browser, { name: 'Ada', email: 'ada@example.test', password: 'quiet harbour lantern 42' })
    const answer = await browser.get('/api/echo')
    expect(await answer.json()).toMatchObject({ seen: { app: true, email: 'ada@example.test' }, around: true })
    expect(await (await browser.get('/api/private')).text()).toBe('ada@example.test')
    expect((await get('/api/private')).status).toBe(401)
  })

  it('runs a job that a route has queued', async () => {
    const browser = createBrowser(server.origin)
    await signUp(browser, { name: 'Ben', email: 'ben@example.test', password: 'quiet harbour lantern 42' })
    const answer = await browser.post('/api/greet', {})
    const { id } = (await answer.json()) as { id: string }
    await vi.waitFor(() => expect(server.log()).toContain('greeted'), 5000)
    const line = server
      .log()
      .split('\n')
      .find(text => text.includes('greeted'))
    expect(JSON.parse(line ?? '')).toMatchObject({ name: 'Ada', id, isInOrg: true })
  })

  it('lets only the person who queued a job see and cancel it', async () => {
    const dan = createBrowser(server.origin)
    await signUp(dan, { name: 'Dan', email: 'dan@example.test', password: 'quiet harbour lantern 42' })
    const eve = createBrowser(server.origin)
    await signUp(eve, { name: 'Eve', email: 'eve@example.test', password: 'quiet harbour lantern 42' })
    const queue = async () => ((await (await dan.post('/api/greet', {})).json()) as { id: string }).id
    const first = await queue()
    expect((await eve.get(`/_fw/jobs/${first}`)).status).toBe(404)
    expect((await eve.request(`/_fw/jobs/${first}`, { method: 'DELETE' })).status).toBe(404)
    const shown = async (id: string) => (await dan.get(`/_fw/jobs/${id}`)).json()
    await vi.waitFor(async () => expect(await shown(first)).toMatchObject({ done: 1, total: 2 }), 10_000)
    await vi.waitFor(async () => expect(await shown(first)).toMatchObject({ state: 'done' }), 10_000)
    expect(await shown(first)).toMatchObject({ name: 'greet', result: { greeted: 'Ada' } })
    const second = await queue()
    expect((await dan.request(`/_fw/jobs/${second}`, { method: 'DELETE' })).status).toBe(204)
    await vi.waitFor(async () => expect(await shown(second)).toMatchObject({ state: 'cancelled', result: null }), 5000)
  })

  it('reports job progress to the MCP host whose tool waits for the job', async () => {
    const browser = createBrowser(server.origin)
    await signUp(browser, { name: 'Fay', email: 'fay@example.test', password: 'quiet harbour lantern 42' })
    const made = await browser.post('/_fw/tokens', {
      json: { name: 'Host', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 7 },
    })
    const { token } = (await made.json()) as { token: string }
    const host = await connectHost(server.origin, token)
    const told: unknown[] = []
    const answer = await host.callTool(
      { name: 'greet-and-wait', arguments: { name: 'Gus' } },
      { onprogress: progress => told.push(progress) },
    )
    expect(answer.structuredContent).toEqual({ greeted: 'Gus' })
    expect(told).toMatchObject([{ progress: 1, total: 2 }])
    await host.close()
  })

  it('sends the email of a job, and one-click unsubscribe turns its topic off', async () => {
    const browser = createBrowser(server.origin)
    await signUp(browser, { name: 'Cy', email: 'cy@example.test', password: 'quiet harbour lantern 42' })
    await browser.post('/api/greet', {})
    const { subject, text } = await smtp.mailTo('ada@example.test', /Hello, Ada/)
    expect([subject, text]).toEqual(['Hello, Ada', expect.stringContaining('* A good day to Ada')])
    const { pathname, search } = new URL(/https?:\S+mail-topics\S+/.exec(text)?.[0] ?? '')
    const page = await get(pathname + search)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Our greetings')])
    const body = new FormData()
    body.set('List-Unsubscribe', 'One-Click')
    expect((await get(pathname + search, { method: 'POST', body })).status).toBe(200)
    // Other mails of this server may still be on their way.
    const greetings = () => smtp.received.filter(({ data }) => /^Subject: Hello, Ada/m.test(data)).length
    const before = greetings()
    const { id } = (await (await browser.post('/api/greet', {})).json()) as { id: string }
    await vi.waitFor(() => expect(server.log()).toContain(`"id":"${id}"`), 10_000)
    expect(greetings()).toBe(before)
    expect((await get(`${pathname}?token=x`)).status).toBe(404)
    expect((await get('/_fw/dev/mails')).status).toBe(404)
  })

  it('auto-imports names of Nitro, its own folders and #fw, and resolves the Nuxt aliases', async () => {
    const { names } = (await (await get('/api/echo')).json()) as { names: string[] }
    expect(names).toEqual(['named', 'unnamed', 'shared', 'both', 'here'])
  })

  it.each(['/api/echo', '/api/broken', '/outside/x', '/old', '/_fw/session'])(
    'returns the platform headers for %s',
    async path => {
      const { headers } = await get(path)
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-own')).toBe('rule')
    },
  )

  it.each(['configured', 'found', 'in-middleware', 'in-a-plugin', 'by-a-module'])(
    'writes nothing where the build cannot see that nobody is asked for a session: %s',
    async name => {
      await query(server, 'create table if not exists marks (n integer not null)')
      expect(await statusAndCode(await get(`/api/marked/${name}`))).toEqual([500, 'unprotected-write'])
      expect(await countRows(server, 'marks')).toBe(0)
      expect(server.log()).toContain(`GET /api/marked/${name} changes data and nobody is signed in`)
      expect(await (await get('/api/marked/public')).text()).toBe('marked')
      await query(server, 'delete from marks')
    },
  )

  it('adds its headers to every response that the platform serves from memory', async () => {
    for (const _again of [1, 2, 3]) {
      for (const path of ['/sign-in', '/about', '/_fw/session']) {
        const { headers } = await get(path)
        expect([path, headers.get('x-first'), headers.get('x-own')]).toEqual([path, 'mine', 'rule'])
      }
    }
  })

  it('replaces robots.txt with a public file and adds addresses to the sitemap', async () => {
    expect(await (await get('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /own\n')
    const sitemap = await (await get('/sitemap.xml')).text()
    const addresses = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address)
    expect(addresses).toEqual([`${server.origin}/about`, `${server.origin}/blog/hello`])
    expect(server.log()).toContain('"path":"/team"')
  })

  it('returns middleware errors as problem JSON and keeps the platform headers despite route rules', async () => {
    const answer = await get('/api/broken')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
  })

  it.each(['/api/echo', '/api/broken', '/outside/x', '/old'])(
    'does not run for a cross-site POST request to %s, which returns 403',
    async path => {
      const answer = await get(path, { method: 'POST', headers: FOREIGN })
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ code: 'cross-origin' })
      expect(answer.headers.get('x-first')).toBeNull()
    },
  )
})

describe('Application without middleware', () => {
  // The first caller waits until the application is built.
  beforeAll(async () => (await borrowServer({ application: 'author' })).stop(), 600_000)

  const said = async (origin: string, path: string) => {
    const { headers } = await fetch(origin + path)
    return [headers.get('x-hooked'), headers.get('x-own')]
  }

  it('renders public pages with text, title and description, but no text of a private page', async () => {
    const server = await borrowServer({ application: 'author' })
    const html = async (path: string) => await (await fetch(server.origin + path)).text()
    const told = await html('/told')
    expect(told).toContain('<p>Open until six.</p>')
    expect(told).toMatch(/<title>Opening hours · [^<]+<\/title>/)
    expect(told).toContain('<meta name="description" content="When the shop is open.">')
    // A page uses the layout of public pages unless it declares another one.
    expect(told).toMatch(/<footer[^]*<\/footer>/)
    const alone = await html('/alone')
    expect(alone).toContain('<h1>Alone</h1>')
    expect(alone).not.toContain('<footer')
    expect(await html('/own')).toMatch(/<section>(?:<!--.*?-->)*<h1>Own/)
    // Signed-out visitors do not see the frame for signed-in people.
    const framed = await html('/framed')
    expect(framed).toContain('<h1>Framed</h1>')
    expect(framed).not.toMatch(/<(?:aside|nav)/)
    expect(await html('/closed')).not.toContain('Closed')
    await server.stop()
  })

  it.each([
    ['none', { '/plain': null, '/sign-in': null, '/_fw/session': null }],
    ['request', { '/plain': 'yes', '/sign-in': 'yes', '/_fw/session': 'yes' }],
    ['beforeResponse', { '/plain': 'yes', '/sign-in': 'yes', '/_fw/session': 'yes' }],
    ['render:response', { '/plain': 'yes', '/sign-in': null, '/_fw/session': null }],
  ])('applies its rules, its routes and its hook (%s) to every response', async (name, wanted) => {
    const server = await borrowServer({ application: 'author', env: { OWN_HOOK: name } })
    for (const _again of [1, 2, 3]) {
      for (const [path, hooked] of Object.entries(wanted))
        expect([path, ...(await said(server.origin, path))]).toEqual([path, hooked, null])
      expect((await fetch(`${server.origin}/plain`)).status).toBe(200)
      expect((await said(server.origin, '/ruled'))[1]).toBe('rule')
      expect(await (await fetch(`${server.origin}/feed`)).text()).toBe('feed GET')
    }
    await server.stop()
  })

  it('renders the page of each address, even when another spelling was requested first', async () => {
    const server = await borrowServer({ application: 'author' })
    const heading = async (path: string) =>
      /<h1>(.*?)<\/h1>/.exec(await (await fetch(server.origin + path)).text())?.[1]
    for (const path of ['/code/ABC', '/code/abc', '/code/Abc', '/code/ABC'])
      expect(await heading(path)).toBe(`Code ${path.slice(6)} of ${path}`)
    for (const path of ['/WHERE', '/where']) expect(await heading(path)).toBe('At /where')
    await server.stop()
  })
})
