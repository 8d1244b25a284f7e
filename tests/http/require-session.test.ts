import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platformDir } from '#fairway/modules/registry/roots'
import { buildServer, writeProject } from '../support/author-project'
import { statusAndCode } from '../support/error-code'
import { createBrowser, signUp } from '../support/http'
import { startServer, type OwnServer } from '../support/server'

/** The routes of an application that moved to the platform: none of the first ones checks who calls. */
const FILES = {
  'nuxt.config.ts': `export default { extends: [${JSON.stringify(platformDir)}] }`,
  'fw.config.ts': `import { defineFwConfig } from '#fw'
export default defineFwConfig({ routes: { requireSession: true } })`,
  'server/api/reports.get.ts': `export default defineEventHandler((event): { rows: string[] } => {
  return { rows: ['of every customer'] }
})`,
  'server/api/clear.post.ts': `import { defineEventHandler } from 'h3'
const handler = defineEventHandler(async event => ({ cleared: await readBody(event) }))
export default handler;`,
  'server/api/named.ts': `export default async function named() { return { named: true } }`,
  'server/api/people/[id].delete.ts': `export default { handler: 1 } && defineEventHandler(() => ({ deleted: true }))`,
  'server/api/health.get.ts': `export default definePublicRoute(() => ({ healthy: true }))`,
  'server/api/viewed.get.ts': `export default defineEventHandler(async event => {
  const { session } = await useFairway(event, { openIn: ['view'] })
  return { email: session.email }
})`,
  'server/api/valid.post.ts': `import { z } from 'zod'
export default definePublicRoute(event => readValidatedBody(event, z.object({ title: z.string() }).parse))`,
  'server/routes/feed.get.ts': `export default defineEventHandler(() => ({ feed: [] }))`,
}

describe('routes.requireSession of fw.config.ts', () => {
  let server: OwnServer
  beforeAll(async () => {
    server = await startServer({ output: await buildServer(writeProject(FILES)) })
  }, 300_000)
  afterAll(() => server.stop())

  const CLOSED = [
    ['GET', '/api/reports'],
    ['POST', '/api/clear'],
    ['GET', '/api/named'],
    ['DELETE', '/api/people/7'],
    ['GET', '/api/viewed'],
  ] as const

  it.each(CLOSED)('%s %s returns 401 without a session', async (method, path) => {
    const answer = await fetch(server.origin + path, { method, headers: { origin: server.origin } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await statusAndCode(answer)).toEqual([401, 'unauthenticated'])
  })

  it('lets signed-in people in', async () => {
    const browser = createBrowser(server.origin)
    await signUp(browser, { name: 'Ada', email: 'ada@example.test', password: 'quiet harbour lantern 42' })
    const answers = await Promise.all(
      CLOSED.map(async ([method, path]) => {
        const answer = await browser.request(path, { method, ...(method === 'POST' ? { json: { all: 1 } } : {}) })
        return answer.json()
      }),
    )
    expect(answers).toEqual([
      { rows: ['of every customer'] },
      { cleared: { all: 1 } },
      { named: true },
      { deleted: true },
      { email: 'ada@example.test' },
    ])
  })

  it.each([
    ['/api/health', { healthy: true }],
    ['/feed', { feed: [] }],
  ])('leaves %s open', async (path, answer) => {
    expect(await (await fetch(server.origin + path)).json()).toEqual(answer)
  })

  it('returns the fields that readValidatedBody refused', async () => {
    const answer = await fetch(`${server.origin}/api/valid`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.origin },
      body: '{}',
    })
    expect(await answer.json()).toMatchObject({ status: 400, code: 'invalid-input', errors: [{ path: 'title' }] })
  })
})
