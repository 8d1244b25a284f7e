import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNuxt, loadNuxt, useNitro } from '@nuxt/kit'
import { createNitro, scanHandlers } from 'nitropack/core'
import type { RollupConfig } from 'nitropack/types'
import { afterAll, describe, expect, it } from 'vitest'
import { checkRoutes, hasOwnMiddleware } from '#fairway/modules/author-routes/index'
import { platformDir } from '#fairway/modules/registry/roots'
import { folderWith } from '../../support/files'

const IMPORTS = `import { defineEventHandler, readBody } from 'h3'
import {
  AppError, definePublicRoute, defineLocalMigration, getSession, requireAll, requireOrgRole, requireSession as require, useFairway,
} from '#fw'
import { write, theirs } from '../write'
`

// Making one takes longer than everything else here, so all projects share it.
const scanner = await createNitro({ rootDir: folderWith({}), logLevel: 0 })
afterAll(() => scanner.close())

/** The faults of a project's routes, as the build reports them; empty when there are none. */
async function faultsOf(files: Record<string, string>): Promise<string> {
  const rootDir = folderWith(files)
  scanner.options.scanDirs = [join(rootDir, 'server')]
  await scanHandlers(scanner)
  const routes = [...scanner.scannedHandlers]
  try {
    checkRoutes(routes, rootDir)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const faultOf = (handler: string, file = 'server/api/thing.post.ts') => faultsOf({ [file]: IMPORTS + handler })
const on = (body: string) => `export default defineEventHandler(async event => {\n${body}\n})\n`

describe('checkRoutes accepts a route that can change data when it', () => {
  it.each([
    ['begins with useFairway', on('const { db } = await useFairway(event)\nreturn write(db)')],
    [
      'begins with useFairway that opens the route in views',
      on("await useFairway(event, { openIn: ['view'] })\nwrite()"),
    ],
    [
      'begins with useFairway, a guard and the states',
      on("await useFairway(event, { guard: theirs, openIn: ['view'] })\nreturn write()"),
    ],
    ['begins with useFairway and a guard', on('await useFairway(event, { guard: theirs })\nreturn write()')],
    [
      'begins with useFairway and guards of the platform',
      on(
        "await useFairway(event, { guard: requireAll(requireOrgRole('admin'), appRoles.requireAny('curator')) })\nwrite()",
      ),
    ],
    ['begins with useFairway in what it answers', on('return write((await useFairway(event)).db)')],
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
      'validates its body first',
      on('const { title } = await readValidatedBody(event, schema.parse)\nawait require(event)\nwrite(title)'),
    ],
    [
      'validates its body with a function first',
      on('const body = await readValidatedBody(event, body => schema.parse(body))\nawait require(event)\nwrite(body)'),
    ],
    [
      'makes values of what it reads first',
      on(
        "assertMethod(event, 'POST')\nconst { page = 1 } = getQuery(event)\nconst id: number = Number(getRouterParam(event, 'id') ?? page)\n" +
          'const url = new URL(`${getRequestURL(event).origin}/x`)\nconst save = () => write(id, url)\n' +
          'if (id < 1 || !schema.safeParse(await readBody(event)).success) throw createError({ status: 400 })\n' +
          'await require(event)\nreturn save()',
      ),
    ],
    [
      'reads by another name of h3',
      "import { readBody as bodyOf } from 'h3'\n" +
        on('const body = await bodyOf(event)\nawait require(event)\nwrite(body)'),
    ],
    [
      'compares with null',
      on(
        'const who = await getSession(event)\nif (who === null || who.orgId === null) { throw new AppError("unauthenticated") }\nwrite()',
      ),
    ],
    [
      'answers 401 itself',
      on(
        'const who = await getSession(event)\nif (!who) {\nsetResponseStatus(event, 401)\nreturn { message: "Sign in first." }\n}\nwrite()',
      ),
    ],
    [
      'writes in a branch for the signed-in',
      on(
        'const who = await getSession(event)\nif (!who) throw createError({ status: 401 })\nelse await write()\nreturn who',
      ),
    ],
    ['catches what comes after the check', on('await require(event)\ntry { await write() } finally { write() }')],
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
  "export default definePublicRoute(event => write(event), { limit: { per: 'network', max: 5, window: 60 } })",
])('checkRoutes accepts a route that can change data with auto-imported functions: %s', async handler => {
  expect(await faultsOf({ 'server/api/thing.post.ts': handler })).toBe('')
})

const BEFORE = 'comes before the session check'
const NEVER = 'never checks the session'
const NO_401 = 'answers without a session'
const ELSEWHERE = 'gives `defineEventHandler` no function of this file, or runs something around it'
const getting = 'const session = await getSession(event)\n'

describe('checkRoutes rejects a route that can change data when it', () => {
  it.each([
    ['asks nobody', on('return write(await readBody(event))'), BEFORE],
    ['only reads', on('const body = await readBody(event)'), NEVER],
    ['does not wait for the answer', on('require(event)\nreturn write()'), BEFORE],
    ['asks in some cases', on('if (Math.random() > 1) await require(event)\nreturn write()'), BEFORE],
    ['asks in a branch', on('if (event.path) await require(event)\nreturn write()'), BEFORE],
    ['asks behind an operator', on('event.path && (await require(event))\nreturn write()'), BEFORE],
    ['asks behind a question mark', on('event.path ? await require(event) : 0\nreturn write()'), BEFORE],
    ['asks in an optional call', on('readBody?.(await require(event))\nreturn write()'), BEFORE],
    ['asks in a default value', on('const { a = await require(event) } = await readBody(event)\nwrite(a)'), BEFORE],
    ['asks after a way out', on('if (event.path) return "done"\nawait require(event)'), NO_401],
    ['asks in a loop', on('for (const each of []) await require(event)\nreturn write()'), BEFORE],
    ['asks in a switch', on('switch (1) { case 2: await require(event) }\nwrite()'), BEFORE],
    ['asks behind a label', on('out: { break out; await require(event) }\nwrite()'), BEFORE],
    ['asks where a failure is caught', on('try { await require(event) } catch {}\nreturn write()'), BEFORE],
    ['writes where a failure is caught', on('try { await require(event) } catch { await write() }'), BEFORE],
    ['writes after a failure', on('try { await require(event) } finally { await write() }'), BEFORE],
    [
      'asks in a function that nobody calls',
      on('const ask = async () => { await require(event) }\nreturn write()'),
      BEFORE,
    ],
    ['only looks who it is', on(`${getting}return write(session)`), BEFORE],
    ['lets nobody through and everybody too', on(`${getting}if (session) throw new Error()\nwrite()`), BEFORE],
    ['only notes that nobody is there', on(`${getting}if (!session) console.log("nobody")\nwrite()`), BEFORE],
    ['does nothing when nobody is there', on(`${getting}if (!session) { const a = 1 }\nwrite()`), BEFORE],
    [
      'compares with what a session never is',
      on(`${getting}if (session === undefined) throw new Error()\nwrite()`),
      BEFORE,
    ],
    [
      'takes another value for the session',
      on('const { session = 1 } = await useFairway(event, { public: true })\nif (!session) throw new Error()\nwrite()'),
      BEFORE,
    ],
    [
      'puts another value there',
      on('let session = await getSession(event)\nsession ||= 1\nif (!session) throw new Error()\nwrite()'),
      BEFORE,
    ],
    ['forges the session', on('event.context.session = theirs\nawait require(event)'), BEFORE],
    ['is public without saying so', on('const { db } = await useFairway(event, { public: true })\nwrite(db)'), BEFORE],
    ['may be public in spread arguments', on('await useFairway(...theirs)\nwrite()'), BEFORE],
    ['may be public', on('await useFairway(event, theirs)\nwrite()'), BEFORE],
    ['may be public besides its guard', on('await useFairway(event, { guard: a, ...theirs })\nwrite()'), BEFORE],
    [
      'has a guard that writes for everybody',
      on(
        'const { session } = await useFairway(event, { public: true, guard: () => write() })\nif (!session) throw new Error()',
      ),
      BEFORE,
    ],
    ['writes while the guard is made', on('await useFairway(event, { guard: theirs() })'), BEFORE],
    ['asks something that is not ours', on('await theirs(event)\nwrite()'), BEFORE],
    [
      'says it with a name that is not ours',
      'const definePublicRoute2 = theirs\nexport default definePublicRoute2(event => write())',
      ELSEWHERE,
    ],
    ['comes from another file', "export { default } from '../write'", ELSEWHERE],
    ['is made elsewhere', 'export default theirs(write)', ELSEWHERE],
    ['is wrapped by something else', 'export default theirs(async event => { await useFairway(event) })', ELSEWHERE],
    [
      'is wrapped inside',
      'export default defineEventHandler(theirs(async event => { await useFairway(event) }))',
      ELSEWHERE,
    ],
    [
      'runs something before its handler',
      'export default defineEventHandler({ onRequest: [write], handler: async event => { await require(event) } })',
      ELSEWHERE,
    ],
    [
      'makes its handler at the first request',
      'export default defineLazyEventHandler(async () => { await write(); return theirs })',
      ELSEWHERE,
    ],
  ])('%s', async (_name, handler, reason) => {
    const message = await faultOf(handler)
    expect(message).toMatch(/server\/api\/thing\.post\.ts:\d+: /)
    expect(message).toContain(reason)
    expect(message).toContain('await useFairway(event)')
    expect(message).toContain('definePublicRoute')
  })

  it.each([
    'const gone = await db.delete(notes)',
    'db.delete(notes)',
    'await db?.delete(notes)',
    "await db['delete'](notes)",
    'const { delete: remove } = db\nawait remove(notes)',
    'const remove = write\nremove()',
    'await db.run`DELETE FROM notes`',
    'write`notes`',
    'new Wipe()',
    "const { wipe } = await import('../wipe')",
    '(await write(), 1)',
    'const [body] = await Promise.all([readBody(event), write()])',
    'const a = 1, b = write()',
    'const { a = write() } = await readBody(event)',
    'const body = await readBody(event, { strict: write() })',
    'const body = await readBody(await write())',
    'const body = { ...(await write()) }',
    'const text = `${await write()}`',
    'const wipe = async () => { await write() }\nawait wipe()',
    'async function wipe() { await write() }\nawait wipe()',
    'await (async () => { await write() })()',
    '[1].forEach(() => write())',
    'setTimeout(() => write())',
    'event.waitUntil(write())',
    'class A { static { write() } }',
    'enum A { b = write() }',
    'delete event.context.params',
    'let n = 0\nn++',
    'for (const each of await readBody(event)) await write(each)',
    'if (write()) throw new Error()',
    'if (event.path) { write(); throw new Error() }',
    'if (event.path) throw write()',
    'if (event.path) throw new Error(write())',
    'if (event.path) throw new Error(); else write()',
    'const body = await readValidatedBody(event, write)',
    'const body = await readValidatedBody(event, body => write(body))',
    'const body = await readValidatedBody(event, (body, a = write()) => body)',
    'const body = await readValidatedBody(event, body => { write(body) })',
    'const body = await cachedRead(event)',
    'await defineEventHandler(write)(event)',
  ])('writes before the session check: %s', async line => {
    expect(await faultOf(on(`${line}\nawait require(event)\nreturn "done"`))).toContain(BEFORE)
    expect(await faultOf(on(`${getting}${line}\nif (!session) throw new Error()`))).toContain(BEFORE)
  })

  it.each([
    'write(await write(), await require(event))',
    '(await write()).of(await require(event))',
    'await require(await write())',
    '(await write(), await require(event))',
    'const a = await write(), who = await require(event)',
    'const [who] = await Promise.all([require(event), write()])',
    'await Promise.all([getSession(event), write()])',
    'await getSession(event) || await write()',
    '(await getSession(event)) ?? (await write())',
  ])('writes during the session check: %s', async line => {
    expect(await faultOf(on(line))).toContain(BEFORE)
  })

  it.each([
    'if (!session) return write()',
    'if (!session) return await write()',
    'if (!session) { await write(); return }',
    'if (!session) { await write(); throw new Error() }',
    'if (!session) { setResponseStatus(event, 401); return write() }',
    'if (!session) { setResponseStatus(event, write()); return }',
    'if (!session) throw createError({ status: 401, data: await write() })',
    'if (!session) throw await write()',
    'if (!session) try { throw 1 } finally { write() }',
    'if (!session) while (true) write()',
    'if (write() || !session) throw new Error()',
    'if (!session && write()) throw new Error()',
    'if (session) { await write(); return }\nwrite()',
    'if (session) throw new Error(); else write()',
    'session || (await write())',
    'session ?? (await write())',
    '!session && write()',
    'const done = session ? 1 : await write()',
    'return session ? 1 : await write()',
    'switch (session) { case null: write() }',
    'no: if (!session) { write(); break no }',
    'do { write() } while (!session)',
  ])('writes for callers without a session: %s', async line => {
    expect(await faultOf(on(`${getting}${line}\nreturn "done"`))).toContain(BEFORE)
  })

  it.each([
    'if (!session) return',
    'if (!session) return null',
    'if (!session) return { done: true }',
    'if (!session) { return 1; throw new Error() }',
    'if (!session) { setResponseStatus(event, 200); return 1 }',
    'if (!session) { setResponseStatus(event); return 1 }',
    'if (event.path) return 1',
    'return session',
  ])('responds to callers without a session: %s', async line => {
    expect(await faultOf(on(`${getting}${line}\nwrite()`))).toContain(`\` ${NO_401}`)
  })

  it('writes in the default value of a parameter', async () => {
    const handler = 'export default defineEventHandler(async (event, a = write()) => { await require(event) })'
    expect(await faultOf(handler)).toContain(`\`write()\` ${BEFORE}`)
  })

  it.each([
    'function readBody() { return write() }',
    'const readBody = write',
    'const { readBody } = theirs',
    'class URL {}',
    "import { readBody } from '../mine'",
    "import readBody from 'h3'",
    "import * as readBody from 'h3'",
    "import { clearSession as readBody } from 'h3'",
    "import { readBody } from '#fw'",
  ])('redefines the name of a read function: %s', async line => {
    const handler = on('await readBody(event)\nnew URL("a:")\nawait requireSession(event)')
    expect(await faultsOf({ 'server/api/x.put.ts': handler })).toBe('')
    expect(await faultsOf({ 'server/api/x.put.ts': `${line}\n${handler}` })).toContain(BEFORE)
  })

  it.each(['function readBody() { return write() }', 'var readBody = write', 'const { a: readBody } = theirs'])(
    'redefines the name of a read function inside the handler: %s',
    async line => {
      const handler = on(`await readBody(event)\nawait require(event)\n${line}`)
      expect(await faultsOf({ 'server/api/x.put.ts': handler.replace('require(', 'requireSession(') })).toContain(
        BEFORE,
      )
    },
  )

  it('writes before the session check, with the line and the code in the error', async () => {
    const handler = on('const body = await readBody(event)\nconst gone = await db.delete(notes)\nawait require(event)')
    expect(await faultsOf({ 'server/api/x.put.ts': IMPORTS + handler })).toContain(
      'server/api/x.put.ts:8: `db.delete(notes)` comes before the session check',
    )
  })

  it('calls its own requireSession without an import of the platform’s', async () => {
    const own = 'const requireSession = () => 1\n' + on('await requireSession(event)')
    const inside = on('const requireSession = () => 1\nawait requireSession(event)')
    const another = "import { requireSession } from '../mine'\n" + on('await requireSession(event)')
    const shadowed = "import { requireSession } from '#fw'\n" + inside
    for (const handler of [own, inside, another, shadowed])
      expect(await faultsOf({ 'server/api/x.put.ts': handler })).toContain('x.put.ts')
  })

  it('imports requireSession from another module', async () => {
    const handler = "import { defineEventHandler } from 'h3'\nimport { requireSession } from '../mine'\n"
    expect(await faultsOf({ 'server/api/x.put.ts': handler + on('await requireSession(event)') })).toContain('x.put.ts')
  })
})

describe('the routes that checkRoutes checks', () => {
  const open = IMPORTS + on('return write()')

  it('include every method that can change data, and files without a method', async () => {
    const changing = ['a.post.ts', 'a.put.ts', 'a.patch.ts', 'a.delete.ts', 'b.ts', 'b/[id].ts', 'c.post.dev.ts']
    const reading = ['a.get.ts', 'a.head.ts', 'a.options.ts']
    const files = [...changing, ...reading].map(name => [`server/api/${name}`, open] as const)
    const message = await faultsOf({ ...Object.fromEntries(files), 'server/routes/feed.ts': open })
    for (const name of changing) expect(message).toContain(`server/api/${name}:`)
    for (const name of reading) expect(message).not.toContain(`server/api/${name}:`)
    expect(message).toContain('server/routes/feed.ts:')
  })

  it('exclude the platform’s own routes and middleware', async () => {
    const house = fileURLToPath(new URL('../../../layers/fairway/server/routes/_fw/sign-in.post.ts', import.meta.url))
    expect(() => checkRoutes([{ handler: house }], dirname(house))).not.toThrow()
    expect(await faultsOf({ 'server/middleware/a.ts': open })).toBe('')
    expect(await faultsOf({ 'server/routes/_fw/x.post.ts': open })).toContain('server/routes/_fw/x.post.ts')
  })
})

describe('a route without a session check', { timeout: 60_000 }, () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const load = (files: Record<string, string>, dev: boolean) => {
    const cwd = folderWith({ 'app/app.vue': '<template><p>Hello</p></template>\n', ...files })
    symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
    const modules = [join(root, 'layers/fairway/modules/author-routes/index.ts')]
    return loadNuxt({ cwd, dev, overrides: { modules, telemetry: false, logLevel: 'silent' } })
  }
  const isProtected = { 'server/api/protected.post.ts': IMPORTS + on('await require(event)') }
  const isOpen = { 'server/api/open.post.ts': IMPORTS + on('return write()') }

  it('stops the build with its file, line and fix', async () => {
    const early = on('const gone = await db.delete(notes)\nawait require(event)\nreturn gone')
    const otherwise = on('const session = await getSession(event)\nif (!session) return wipe()\nreturn write()')
    const files = { 'server/api/early.ts': IMPORTS + early, 'server/routes/else.delete.ts': IMPORTS + otherwise }
    const nuxt = await load({ ...isProtected, ...isOpen, ...files }, false)
    const building = await buildNuxt(nuxt).then(
      () => 'built',
      (error: Error) => error.message,
    )
    await nuxt.close()
    expect(building).toContain('server/api/open.post.ts:7: `write()` comes before the session check')
    expect(building).toContain('server/api/early.ts:7: `db.delete(notes)` comes before the session check')
    expect(building).toContain('server/routes/else.delete.ts:8: `wipe()` comes before the session check')
    expect(building).toContain('definePublicRoute')
    expect(building).not.toContain('protected.post.ts')
  })

  it('stops the development server, also when it is added while the server runs', async () => {
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

describe('hasOwnMiddleware', () => {
  const ours = { handler: `${platformDir}/server/middleware/10.enter.ts`, middleware: true }
  const isTold = (scanned: object[], handlers: object[] = []) =>
    hasOwnMiddleware({ scannedHandlers: [ours, ...scanned], options: { handlers } } as never)

  it('returns true only when the application or a module adds middleware', () => {
    expect(isTold([{ handler: '/app/server/api/notes.get.ts', route: '/api/notes', method: 'get' }])).toBe(false)
    expect(isTold([{ handler: '/app/server/middleware/log.ts', middleware: true }])).toBe(true)
    expect(isTold([], [{ handler: '/app/node_modules/a-module/gate.mjs', middleware: true, route: '/_fw' }])).toBe(true)
    expect(isTold([], [{ handler: '/app/node_modules/a-module/gate.mjs' }])).toBe(true)
  })
})
