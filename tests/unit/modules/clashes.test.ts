import { writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  fileClashes,
  gateClashes,
  localizedPages,
  pageClashes,
  routeClashes,
  headersWithoutEffect,
  ruleClashes,
  takenPaths,
} from '#fairway/modules/clashes/path-clashes'
import { importClashes, sourcesBelow, settingClashes } from '#fairway/modules/clashes/import-clashes'
import { aliases, platformDir } from '#fairway/modules/registry/roots'
import { folderWith } from '../../support/files'

const house = (path: string) => join(platformDir, path)
const taken = takenPaths(
  [
    { route: '/sign-in', handler: house('server/routes/sign-in.ts') },
    { route: '/mcp', handler: house('server/routes/mcp.ts') },
    { route: '/_fw/actions/:name', handler: house('server/routes/_fw/actions/[name].ts') },
    { route: '/_fw/auth/**:path', handler: house('server/routes/_fw/auth/[...path].ts') },
    { route: '/.well-known/oauth-protected-resource', handler: house('server/routes/.well-known/x.ts') },
    { route: '/books/:id', handler: house('server/mounted/collection') },
    { route: '/robots.txt', handler: house('server/mounted/robots') },
    { route: '/hook', handler: '/app/server/routes/hook.ts' },
  ],
  [
    { path: '/', file: house('app/pages/index.vue') },
    { path: '/team', file: house('app/pages/team.vue') },
    { path: '/about', file: '/app/app/pages/about.vue' },
  ],
)

it('gateClashes names middleware that takes the place of the gate, with and without .global', () => {
  const gate = (path: string) =>
    gateClashes([
      { name: 'first', path: '/app/app/middleware/first.ts' },
      { name: 'session-gate', path },
    ])
  expect(gate(house('app/middleware/session-gate.global.ts'))).toEqual([])
  for (const path of ['/app/app/middleware/session-gate.global.ts', '/app/app/middleware/session-gate.ts'])
    expect(gate(path)).toEqual([
      `${path}: it takes the place of the gate in front of private pages. Give it a name of its own`,
    ])
})

it('localizedPages finds pages of the platform that @nuxtjs/i18n copied for each language', () => {
  const page = (file: string, name: string) => ({ file, name, path: '/de/team' })
  expect(localizedPages([page(house('app/pages/team.vue'), 'team'), page('/app/app/pages/a.vue', 'a___de')])).toEqual(
    [],
  )
  expect(localizedPages([page(house('app/pages/team.vue'), 'team___de')])).toEqual([
    expect.stringContaining("(/de/team). Set strategy: 'no_prefix'"),
  ])
})

describe('routeClashes', () => {
  const clash = (route: string) => routeClashes([{ route, handler: '/app/server/routes/x.ts' }], taken)[0]

  it.each([
    ['at the very path of one of the platform', '/sign-in'],
    ['in a place of the platform, also where it has nothing yet', '/_fw/later'],
    ['for any part where the platform has one too', '/_fw/actions/:id'],
    ['for the rest where the platform has it too', '/_fw/auth/**'],
    ['in the place of the documents of collections', '/contexts/mine'],
    ['at a document of the authorization server', '/.well-known/oauth-protected-resource'],
    ['at an item of a collection', '/books/:isbn'],
    ['for whatever comes, because pages would be gone', '/**:slug'],
    ['for whatever one part comes, because pages would be gone', '/:name'],
    ['at the page of the platform', '/team'],
  ])('reports a route %s', (_name, route) => {
    expect(clash(route)).toContain(`/app/server/routes/x.ts: it answers ${route}, and `)
    expect(clash(route)).toContain('Give it a path of its own')
  })

  it.each([
    ['below /api', '/api/**'],
    ['at a document of its own below /.well-known', '/.well-known/security.txt'],
    ['at a page that it has itself', '/about'],
    ['at robots.txt, which is the platform’s only where the application has none', '/robots.txt'],
    ['below a part of its own', '/shop/:id'],
    ['for any first part, with text that no page has', '/:org/feed.xml'],
    ['two parts deep, where text of the platform comes first', '/:a/:b'],
  ])('accepts a route %s', (_name, route) => {
    expect(clash(route)).toBeUndefined()
  })

  it('ignores routes of the platform, middleware and routes of Nuxt', () => {
    const served = [
      { route: '/sign-in', handler: house('server/routes/sign-in.ts') },
      { route: '/_fw', handler: '/app/server/middleware/a.ts', middleware: true },
      { route: '/__nuxt_error', handler: '/app/node_modules/nuxt/renderer.mjs' },
    ]
    expect(routeClashes(served, taken)).toEqual([])
  })
})

describe('fileClashes', () => {
  const clashes = (...files: string[]) => {
    const rootDir = folderWith(Object.fromEntries(files.map(file => [`public/${file}`, 'x'])))
    return fileClashes([{ dir: join(rootDir, 'public') }], taken, join(rootDir, '.nuxt'))
  }

  it.each([
    ['mcp', '/mcp'],
    ['mcp.gz', '/mcp'],
    ['sign-in/index.html', '/sign-in'],
    ['_fw/x', '/_fw/**'],
    ['_nuxt/entry.js', '/_nuxt/**'],
    ['index.html', '/'],
    ['books/cover.png', '/books/:id'],
  ])('reports the public file %s', (file, path) => {
    const [clash = ''] = clashes(file)
    expect(clash).toContain(`public/${file}: public files are answered first, and ${path} is `)
  })

  it('accepts public files with any other name', () => {
    expect(clashes('favicon.svg', 'robots.txt', 'images/a.png', '.well-known/security.txt', 'sign-in.png')).toEqual([])
  })

  it('checks the folders and base URLs of nitro.publicAssets', () => {
    const rootDir = folderWith({ 'files/session': 'x' })
    expect(fileClashes([{ dir: join(rootDir, 'files'), baseURL: '/_fw' }], taken, '/none')).toHaveLength(1)
  })
})

describe('ruleClashes', () => {
  const clashes = (path: string, rule: object, own = true) =>
    ruleClashes({ [path]: rule }, taken, new Set(own ? [path] : []))

  it.each([
    ['/**', { redirect: { to: '/x' } }, 'redirect'],
    ['/_fw/**', { proxy: { to: 'https://other.example' } }, 'proxy'],
    ['/**', { cache: { maxAge: 60 }, swr: true }, 'cache'],
    ['/**', { headers: { 'access-control-allow-origin': '*' } }, "headers['access-control-allow-origin']"],
    ['/mcp', { headers: { 'x-own': '1' } }, 'headers'],
    ['/sign-in', { ssr: false }, 'ssr'],
  ])('reports a rule at %s with %j', (path, rule, setting) => {
    expect(clashes(path, rule)[0]).toContain(`routeRules['${path}'].${setting}: it is applied to `)
  })

  it.each([
    ['/**', { headers: { 'x-own': '1' } }],
    ['/**', { redirect: false, cache: false }],
    ['/shop/**', { proxy: { to: 'https://other.example' } }],
    ['/team', { redirect: { to: '/people' } }],
  ])('accepts a rule at %s with %j', (path, rule) => {
    expect(clashes(path, rule)).toEqual([])
  })

  it('ignores rules of the platform', () => {
    expect(clashes('/_nuxt/**', { headers: { 'cache-control': 'immutable' } }, false)).toEqual([])
  })
})

describe('headersWithoutEffect', () => {
  const pages = [
    { path: '/shop', file: '/app/app/pages/shop.vue', meta: { public: true } },
    { path: '/team', file: '/app/app/pages/team.vue' },
  ]
  const routes = [{ route: '/api/reports', handler: '/app/server/api/reports.get.ts' }]
  const lost = (path: string, header: string) =>
    headersWithoutEffect({ [path]: { headers: { [header]: 'x' } } }, pages, routes)

  it.each([
    [
      '/team',
      'cache-control',
      'pages that are not public have the platform’s. Declare the page public: definePageMeta(',
    ],
    ['/shop', 'Content-Security-Policy', 'every page has its own'],
    ['/api/**', 'referrer-policy', 'every response has the platform’s'],
  ])('reports a rule at %s that sets %s', (path, header, why) => {
    const start = `nuxt.config, routeRules['${path}'].headers['${header}']: it has no effect, because ${why}`
    expect(lost(path, header)[0]).toContain(start)
  })

  it.each([
    ['/shop', 'cache-control'],
    ['/**', 'cache-control'],
    ['/api/**', 'cache-control'],
    ['/api/**', 'etag'],
    ['/team', 'x-own'],
  ])('accepts a rule at %s that sets %s', (path, header) => {
    expect(lost(path, header)).toEqual([])
  })
})

describe('pageClashes', () => {
  const clashes = (path: string, file: string) =>
    pageClashes(
      [
        { path: '/team', file: house('app/pages/team.vue') },
        { path, file: `/app/app/pages/${file}` },
      ],
      taken,
    )

  it.each([
    ['/sign-in', 'sign-in.vue'],
    ['/_fw/mine', '_fw/mine.vue'],
    ['/_fw/:rest(.*)*', '_fw/[...rest].vue'],
    ['/api/docs', 'api/docs.vue'],
    ['/o/:id', 'o/[id].vue'],
  ])('reports a page at %s, where the server responds', (path, file) => {
    expect(clashes(path, file)[0]).toMatch(new RegExp(`^/app/app/pages/.*: nobody sees it, because .* Give it another`))
  })

  it('reports a page at the path of a platform page when its file name differs', () => {
    const [clash = ''] = clashes('/team', 'team/index.vue')
    expect(clash).toContain('To replace that page, name it app/pages/team.vue')
  })

  it.each([
    ['/:slug(.*)*', '[...slug].vue'],
    ['/:name()', '[name].vue'],
    ['/books-of/:id()', 'books-of/[id].vue'],
    ['/team/guests', 'team/guests.vue'],
  ])('accepts a page at %s', (path, file) => {
    expect(clashes(path, file)).toEqual([])
  })
})

describe('importClashes', () => {
  const clashes = (files: Record<string, string>) => {
    const rootDir = folderWith(files)
    return importClashes(sourcesBelow(rootDir), rootDir)
  }

  it.each([
    ['server/a.ts', `import { x } from '#fairway/server/compose'`],
    ['server/a.ts', `import type { X } from '#fairway/server/compose'`],
    ['server/a.ts', `export { x } from '#fairway/server/compose'`],
    ['server/a.ts', `const x = await import('#fw/actions')`],
    ['server/a.ts', `import 'nuxt-fairway/server/compose'`],
    ['app/pages/a.vue', `<script setup lang="ts">\nimport { x } from '#fairway/app/utils/x'\n</script>`],
    ['app/pages/b.vue', `<script>\nimport type { X } from 'nuxt-fairway/app/x'\n</script>`],
  ])('reports an unpublished import in %s: %s', (file, source) => {
    expect(clashes({ [file]: source })[0]).toMatch(new RegExp(`${file}: it imports .*does not publish.*#fw/client`))
  })

  it('reports an import by path into the platform', () => {
    const rootDir = folderWith({ 'near/a.ts': `import '${platformDir}/server/fw'\nimport '../a'` })
    const file = join(rootDir, 'near/a.ts')
    expect(importClashes([file], rootDir)).toHaveLength(1)
    writeFileSync(file, `import '${relative(dirname(file), join(platformDir, 'shared/paths'))}'`)
    expect(importClashes([file], rootDir)).toHaveLength(1)
  })

  it('accepts published imports and the application’s own imports', () => {
    expect(
      clashes({
        'server/a.ts': `import '#fw'\nimport type { ActionTypes } from '#fw/action-types'\nimport 'nuxt-fairway/tables'\nimport '#server/b'\nimport './b'\nimport 'zod'`,
        'app/a.vue': `<script setup lang="ts">\nimport type { TableColumn } from '#fw/client'\nimport x from '~/x'\n</script>`,
        'vitest.config.ts': `import { aliases } from 'nuxt-fairway/vitest'`,
        'broken.ts': 'import {',
        '.nuxt/imports.d.ts': `export * from '${platformDir}/app/client'`,
        'node_modules/x/a.ts': `import '#fairway/x'`,
      }),
    ).toEqual([])
  })
})

it('settingClashes reports settings that would replace core parts of the platform', () => {
  const alias = aliases('/app')
  const errorHandler = house('server/error-handler')
  expect(settingClashes({ alias, errorHandler }, '/app')).toEqual([])
  const clashes = settingClashes(
    { alias: { ...alias, '#fw': '/app/fw' }, errorHandler: '~/error', renderer: '~/renderer' },
    '/app',
  ).join('\n')
  expect(clashes).toContain("alias['#fw']")
  expect(clashes).toContain('nitro.errorHandler')
  expect(clashes).toContain('nitro.renderer')
})
