import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt, useNitro } from '@nuxt/kit'
import { createNitro, scanHandlers } from 'nitropack/core'
import type { RollupConfig } from 'nitropack/types'
import { describe, expect, it } from 'vitest'
import { checkRoutes, hasOwnMiddleware } from '#fairway/modules/author-routes/index'
import { platformDir } from '#fairway/modules/registry/roots'

const IMPORTS = `import { defineEventHandler, readBody } from 'h3'
import { definePublicRoute, defineLocalMigration, getSession, requireSession as require, useFairway } from '#fw'
import { write, theirs } from '../write'
`

/** A project with these files. */
function project(files: Record<string, string>): string {
  const rootDir = mkdtempSync(join(tmpdir(), 'fw-routes-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(rootDir, path)), { recursive: true })
    writeFileSync(join(rootDir, path), text)
  }
  return rootDir
}

/** What is wrong with the routes of a project, as the build finds them; empty when nothing is. */
async function faultsOf(files: Record<string, string>): Promise<string> {
  const rootDir = project(files)
  const nitro = await createNitro({
    rootDir,
    srcDir: join(rootDir, 'server'),
    scanDirs: [join(rootDir, 'server')],
    logLevel: 0,
  })
  const routes = [...nitro.scannedHandlers]
  await nitro.close()
  try {
    checkRoutes(routes, rootDir)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const faultOf = (handler: string, file = 'server/api/thing.post.ts') => faultsOf({ [file]: IMPORTS + handler })
const on = (body: string) => `export default defineEventHandler(async event => {\n${body}\n})\n`

describe('a route that can change data is served when it', () => {
  it.each([
    ['begins with useFairway', on('const { db } = await useFairway(event)\nreturn write(db)')],
    ['begins with useFairway and a guard', on('await useFairway(event, { guard: theirs() })\nreturn write()')],
    ['begins with requireSession, under another name', on('await require(event)\nreturn write()')],
    [
      'reads its body first',
      on('const body = await readBody(event)\nif (!body) throw new Error("no")\nawait require(event)'),
    ],
    ['asks in what it answers', 'export default defineEventHandler(async event => write(await require(event)))'],
    [
      'refuses whom getSession does not find',
      on('const who = await getSession(event)\nif (!who) throw new Error("401")\nwrite()'),
    ],
    [
      'compares with null',
      on('const who = await getSession(event)\nif (who === null || who.orgId === null) { return null }\nwrite()'),
    ],
    [
      'refuses with useFairway in public',
      on(
        'const { db, session: who } = await useFairway(event, { public: true })\nif (!who) throw new Error("401")\nwrite(db)',
      ),
    ],
    [
      'is a function with a name',
      'async function answer(event) {\n await require(event)\n}\nexport default defineEventHandler(answer)',
    ],
    [
      'is a constant',
      'const handler = defineEventHandler(async event => { await require(event) })\nexport default handler',
    ],
    [
      'has its handler in an object',
      'export default defineEventHandler({ handler: async event => { await require(event) } })',
    ],
    ['is wrapped by something else', 'export default theirs(async event => { await useFairway(event) })'],
    ['says that anyone may call it', 'export default definePublicRoute(event => write(event))'],
    ['is the hook of the local migration', 'export default defineLocalMigration(async ({ db }) => write(db))'],
  ])('%s', async (_name, handler) => {
    expect(await faultOf(handler)).toBe('')
  })
})

it.each([
  on('await requireSession(event)\nreturn write()'),
  on('const { db } = await useFairway(event)\nreturn write(db)'),
  'export default definePublicRoute(event => write(event))',
])('a route that can change data is served with what the build imports for it: %s', async handler => {
  expect(await faultsOf({ 'server/api/thing.post.ts': handler })).toBe('')
})

describe('a route that can change data is refused when it', () => {
  const LATE = 'it does not begin by asking who calls'
  const ELSEWHERE = 'its handler is not in this file'
  it.each([
    ['asks nobody', on('return write(await readBody(event))'), LATE],
    ['does not wait for the answer', on('require(event)\nreturn write()'), LATE],
    ['asks after it has written', on('await write()\nawait require(event)'), LATE],
    ['asks in some cases', on('if (Math.random() > 1) await require(event)\nreturn write()'), LATE],
    ['asks behind an operator', on('event.path && (await require(event))\nreturn write()'), LATE],
    ['asks after a way out', on('if (event.path) return write()\nawait require(event)'), LATE],
    ['asks in a loop', on('for (const each of []) await require(event)\nreturn write()'), LATE],
    ['asks where a failure is caught', on('try { await require(event) } catch {}\nreturn write()'), LATE],
    [
      'asks in a function that nobody calls',
      on('const ask = async () => { await require(event) }\nreturn write()'),
      LATE,
    ],
    ['only looks who it is', on('const session = await getSession(event)\nreturn write(session)'), LATE],
    [
      'lets nobody through and everybody too',
      on('const session = await getSession(event)\nif (session) throw new Error()\nwrite()'),
      LATE,
    ],
    [
      'only notes that nobody is there',
      on('const session = await getSession(event)\nif (!session) console.log("nobody")\nwrite()'),
      LATE,
    ],
    ['is public without saying so', on('const { db } = await useFairway(event, { public: true })\nwrite(db)'), LATE],
    ['may be public', on('await useFairway(event, theirs)\nwrite()'), LATE],
    ['may be public besides its guard', on('await useFairway(event, { guard: a, ...theirs })\nwrite()'), LATE],
    ['asks something that is not ours', `${on('await theirs(event)\nwrite()')}`, LATE],
    [
      'says it with a name that is not ours',
      'const definePublicRoute2 = theirs\nexport default definePublicRoute2(event => write())',
      LATE,
    ],
    ['comes from another file', "export { default } from '../write'", ELSEWHERE],
    ['is made elsewhere', 'export default theirs(write)', ELSEWHERE],
  ])('%s', async (_name, handler, reason) => {
    const message = await faultOf(handler)
    expect(message).toContain(`server/api/thing.post.ts: ${reason}`)
    expect(message).toContain('await useFairway(event)')
    expect(message).toContain('definePublicRoute')
  })

  it('has a name without an import that it gave to something of its own', async () => {
    const own = 'const requireSession = () => 1\n' + on('await requireSession(event)')
    const inside = on('const requireSession = () => 1\nawait requireSession(event)')
    const another = "import { requireSession } from '../mine'\n" + on('await requireSession(event)')
    for (const handler of [own, inside, another])
      expect(await faultsOf({ 'server/api/x.put.ts': handler })).toContain('x.put.ts')
  })

  it('uses the name of ours for something of its own', async () => {
    const handler = "import { defineEventHandler } from 'h3'\nimport { requireSession } from '../mine'\n"
    expect(await faultsOf({ 'server/api/x.put.ts': handler + on('await requireSession(event)') })).toContain('x.put.ts')
  })
})

describe('the routes that are looked at', () => {
  const open = IMPORTS + on('return write()')

  it('are those of every method that can change something, and of files without one', async () => {
    const changing = ['a.post.ts', 'a.put.ts', 'a.patch.ts', 'a.delete.ts', 'b.ts', 'b/[id].ts', 'c.post.dev.ts']
    const reading = ['a.get.ts', 'a.head.ts', 'a.options.ts']
    const files = [...changing, ...reading].map(name => [`server/api/${name}`, open] as const)
    const message = await faultsOf({ ...Object.fromEntries(files), 'server/routes/feed.ts': open })
    for (const name of changing) expect(message).toContain(`server/api/${name}:`)
    for (const name of reading) expect(message).not.toContain(`server/api/${name}:`)
    expect(message).toContain('server/routes/feed.ts:')
  })

  it("are an author's: the platform's own and middleware are none", async () => {
    const house = fileURLToPath(new URL('../../../layers/fairway/server/routes/_fw/sign-in.post.ts', import.meta.url))
    expect(() => checkRoutes([{ handler: house }], dirname(house))).not.toThrow()
    expect(await faultsOf({ 'server/middleware/a.ts': open })).toBe('')
    expect(await faultsOf({ 'server/routes/_fw/x.post.ts': open })).toContain('server/routes/_fw/x.post.ts')
  })
})

describe('an unprotected route', { timeout: 60_000 }, () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const load = (files: Record<string, string>, dev: boolean) => {
    const cwd = project({ 'app/app.vue': '<template><p>Hello</p></template>\n', ...files })
    symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
    const modules = [join(root, 'layers/fairway/modules/author-routes/index.ts')]
    return loadNuxt({ cwd, dev, overrides: { modules, telemetry: false, logLevel: 'silent' } })
  }
  const isProtected = { 'server/api/protected.post.ts': IMPORTS + on('await require(event)') }
  const isOpen = { 'server/api/open.post.ts': IMPORTS + on('return write()') }

  it('stops the build, with file and cure', async () => {
    const nuxt = await load({ ...isProtected, ...isOpen }, false)
    const building = await buildNuxt(nuxt).then(
      () => 'built',
      (error: Error) => error.message,
    )
    await nuxt.close()
    expect(building).toContain('server/api/open.post.ts: it does not begin by asking who calls')
    expect(building).toContain('definePublicRoute')
    expect(building).not.toContain('protected.post.ts')
  })

  it('stops the development server, also when it is written while that runs', async () => {
    const nuxt = await load(isProtected, true)
    const nitro = nuxt.runWithContext(() => useNitro())
    const config: { plugins: { name: string; buildStart(): void }[] } = { plugins: [] }
    await nitro.hooks.callHook('rollup:before', nitro, config as unknown as RollupConfig)
    const own = config.plugins.flat().find(({ name }) => name === 'author-routes')
    const rebuild = () => (own ? own.buildStart() : 'nothing looks at a rebuild')
    expect(rebuild()).toBeUndefined()
    writeFileSync(join(nuxt.options.rootDir, 'server/api/open.post.ts'), isOpen['server/api/open.post.ts'])
    await scanHandlers(nitro)
    expect(rebuild).toThrow('server/api/open.post.ts')
    await nuxt.close()
  })
})

describe('what comes before every route', () => {
  const ours = { handler: `${platformDir}/server/middleware/10.headers.ts`, middleware: true }
  const isTold = (scanned: object[], handlers: object[] = []) =>
    hasOwnMiddleware({ scannedHandlers: [ours, ...scanned], options: { handlers } } as never)

  it("is the platform's alone until a file of the application's or a module adds to it", () => {
    expect(isTold([{ handler: '/app/server/api/notes.get.ts', route: '/api/notes', method: 'get' }])).toBe(false)
    expect(isTold([{ handler: '/app/server/middleware/log.ts', middleware: true }])).toBe(true)
    expect(isTold([], [{ handler: '/app/node_modules/a-module/gate.mjs', middleware: true, route: '/_fw' }])).toBe(true)
    expect(isTold([], [{ handler: '/app/node_modules/a-module/gate.mjs' }])).toBe(true)
  })
})
