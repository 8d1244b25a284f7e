import { join } from 'node:path'
import { buildNuxt, loadNuxt, useNitro } from '@nuxt/kit'
import { scanHandlers } from 'nitropack/core'
import type { NuxtHooks } from 'nuxt/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findReplaced, type FoundComponent } from '#fairway/modules/application/report-replaced'
import { liftPages } from '#fairway/modules/pages/page-files'
import { platformDir, isPlatformFile, withShortPaths } from '#fairway/modules/registry/roots'
import { published } from '#fairway/published'
import { writeProject } from '../../support/author-project'

const load = (cwd: string) => loadNuxt({ cwd, ready: true, overrides: { telemetry: false, logLevel: 'silent' } })

/** Builds until the pages would be bundled; returns the message of the error that stopped it. */
async function begin(nuxt: Awaited<ReturnType<typeof load>>): Promise<string> {
  nuxt.hook('build:before', () => {
    throw new Error('far enough')
  })
  return buildNuxt(nuxt).then(
    () => 'built',
    (error: Error) => error.message,
  )
}

describe('an application that extends the platform', { timeout: 120_000 }, () => {
  const { dir: cwd } = writeProject({
    'nuxt.config.ts': `export default { extends: [${JSON.stringify(platformDir)}, './between'] }`,
    'between/nuxt.config.ts': 'export default {}',
    'app/components/ProductMark.vue': '<template><i>mark</i></template>',
    'app/components/RoleMenu.vue': '<template><i>menu</i></template>',
    'app/components/layout/PageHeader.vue': '<template><i>header</i></template>',
    'app/composables/useMembers.ts': 'export const useMembers = () => "mine"',
    'app/layouts/public.vue': '<template><slot /></template>',
    'app/locales/en.json': '{"cancel":"Leave it","mine":{"a":"A"}}',
    'app/locales/de.json': '{"cancel":"Lassen","pages":{"home":"Start"}}',
    'app/pages/about.vue': '<template><p>About</p></template>',
    'app/plugins/00.first.ts': `export default defineNuxtPlugin({ name: 'first', enforce: 'pre', setup() {} })`,
    'public/favicon.svg': '<svg />',
    'server/middleware/00.first.ts': 'export default defineEventHandler(() => undefined)',
    'between/server/middleware/00.between.ts': 'export default defineEventHandler(() => undefined)',
    'server/plugins/00.first.ts': 'export default defineNitroPlugin(() => undefined)',
    'between/server/plugins/00.between.ts': 'export default defineNitroPlugin(() => undefined)',
    'server/utils/requireSession.ts': 'export const requireSession = () => "mine"\nexport const shelf = () => "mine"',
  })
  let nuxt: Awaited<ReturnType<typeof load>>
  let components: FoundComponent[] = []
  let client: Parameters<NuxtHooks['imports:context']>[0] | undefined
  beforeAll(async () => {
    nuxt = await loadNuxt({ cwd, ready: false, overrides: { telemetry: false, logLevel: 'silent' } })
    nuxt.hook('components:extend', found => {
      components = found
    })
    nuxt.hook('imports:context', context => {
      client = context
    })
    await nuxt.ready()
    expect(await begin(nuxt)).toBe('far enough')
  }, 120_000)
  afterAll(() => nuxt.close())

  const nitro = () => nuxt.runWithContext(() => useNitro())

  it('runs its middleware after the platform’s, whatever the file names, including middleware of layers in between', async () => {
    await scanHandlers(nitro())
    const middleware = nitro().scannedHandlers.filter(each => each.middleware)
    const ours = middleware.findLastIndex(({ handler }) => isPlatformFile(handler))
    const theirs = middleware.slice(ours + 1).map(({ handler }) => withShortPaths(handler, cwd))
    expect(ours).toBeGreaterThanOrEqual(0)
    expect(theirs.toSorted()).toEqual(['between/server/middleware/00.between.ts', 'server/middleware/00.first.ts'])
  })

  it('loads its server plugins and app plugins after the platform’s', async () => {
    await nuxt.callHook('nitro:build:before', nitro())
    const server = nitro().options.plugins
    expect(server.findLastIndex(isPlatformFile)).toBeLessThan(server.findIndex(each => each.startsWith(cwd)))
    const plugins = nuxt.apps.default?.plugins ?? []
    const ours = plugins.filter(({ src }) => isPlatformFile(src))
    expect(ours).toHaveLength(2)
    // Nuxt sorts plugins by `order` first. `enforce: 'pre'` in an application means -20.
    for (const { order } of ours) expect(order).toBeLessThanOrEqual(-20)
    expect(plugins.indexOf(ours[2]!)).toBeLessThan(plugins.findIndex(({ src }) => src.startsWith(cwd)))
  })

  it('has #fw on the server without an import, and no session functions of h3', async () => {
    const imports = (await nitro().unimport?.getImports()) ?? []
    const sourceOf = (name: string) => imports.filter(each => (each.as ?? each.name) === name).map(({ from }) => from)
    for (const name of Object.keys(published.serverWithoutImport)) expect(sourceOf(name)).toEqual(['#fw'])
    for (const name of ['useSession', 'updateSession', 'clearSession', 'sealSession', 'unsealSession'])
      expect(sourceOf(name)).toEqual([])
    expect(sourceOf('defineEventHandler')).toEqual(['h3'])
    expect(sourceOf('shelf')).toEqual([join(cwd, 'server/utils/requireSession.ts')])
  })

  it('leaves the platform’s server files without its auto-imports', () => {
    const { imports } = nitro().options
    const excluded = imports ? [imports.exclude ?? []].flat() : []
    const isExcluded = (file: string) => excluded.some(each => each instanceof RegExp && each.test(file))
    expect(isExcluded(join(platformDir, 'server/plugins/00.app.ts'))).toBe(true)
    expect(isExcluded(join(cwd, 'server/middleware/00.first.ts'))).toBe(false)
  })

  it('uses its own composable, while the platform keeps its own one of that name', async () => {
    const importOf = async (file: string) => (await client?.injectImports('const a = useMembers()', file))?.code
    expect(await importOf(join(platformDir, 'app/components/team/TeamMembers.vue'))).toContain(
      join(platformDir, 'app/composables/useMembers'),
    )
    expect(await importOf(join(cwd, 'app/pages/about.vue'))).toContain(join(cwd, 'app/composables/useMembers'))
  })

  it('replaces platform files by name, and the build lists them', () => {
    const folder = { app: `${cwd}/app/`, public: `${cwd}/public/` }
    const { names, warnings } = findReplaced([folder], components)
    expect(names).toEqual([
      'components/ProductMark.vue',
      'components/RoleMenu.vue',
      'layouts/public.vue',
      'pages/about.vue',
      '2 texts',
      'favicon.svg',
    ])
    expect(warnings.map(warning => withShortPaths(warning, cwd))).toEqual([
      expect.stringMatching(/^app\/components\/RoleMenu\.vue replaces nuxt-fairway\/.*not published/),
      'app/components/layout/PageHeader.vue is <LayoutPageHeader> and replaces nothing; to replace <PageHeader>, name it app/components/PageHeader.vue',
    ])
  })
})

it('the build stops and lists every clash with its file', { timeout: 120_000 }, async () => {
  const { dir: cwd } = writeProject({
    'app/pages/_fw/mine.vue': '<template><p>Mine</p></template>',
    'public/mcp': 'mine',
    'server/routes/sign-in.get.ts': 'export default defineEventHandler(() => "mine")',
    'server/routes/_fw/session.ts': 'export default definePublicRoute(() => "mine")',
    'server/routes/[...].get.ts': 'export default defineEventHandler(() => "mine")',
    'server/actions/deep.ts': `import { z } from 'zod'\nimport { defineAction } from '#fw'
      export default defineAction({
        description: 'Deep.', method: 'POST', path: '/api/deep', input: z.object({}), run: () => null,
      })`,
    'server/api/deep.get.ts': `import '#fairway/server/compose'\nexport default defineEventHandler(() => "mine")`,
    'nuxt.config.ts': `export default { extends: [${JSON.stringify(platformDir)}], routeRules: { '/_fw/**': { redirect: '/x' } } }`,
  })
  const nuxt = await load(cwd)
  const stopped = await begin(nuxt)
  await nuxt.close()
  expect(stopped.split('\n').map(line => line.split(':')[0])).toEqual([
    "The application and the platform are in each other's way",
    '  - server/routes/_fw/session.ts',
    '  - server/routes/[...].get.ts',
    '  - server/routes/sign-in.get.ts',
    '  - server/actions/deep.ts and server/api/deep.get.ts',
    '  - public/mcp',
    "  - routeRules['/_fw/**'].redirect",
    '  - app/pages/_fw/mine.vue',
    '  - server/api/deep.get.ts',
  ])
  expect(stopped).toContain('/sign-in is of nuxt-fairway/server/routes/sign-in.ts')
})

it('liftPages shows an application’s page below a platform page’s path separately', () => {
  const pages = [
    {
      path: '/settings',
      file: join(platformDir, 'app/pages/settings.vue'),
      children: [{ path: 'billing', file: '/app/app/pages/settings/billing.vue' }],
    },
    { path: '/shop', file: '/app/app/pages/shop.vue', children: [{ path: 'cart', file: '/app/x.vue' }] },
  ]
  liftPages(pages)
  expect(pages.map(({ path, children = [] }) => [path, children.length])).toEqual([
    ['/settings', 0],
    ['/shop', 1],
    ['/settings/billing', 0],
  ])
})
