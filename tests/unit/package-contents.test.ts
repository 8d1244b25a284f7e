import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sourcesOf } from '../../scripts/build.mjs'
import { authorPlace } from '../../scripts/sample.mjs'
import { folderWith } from '../support/files'
import { startFw } from '../support/fw'

const layer = 'layers/fairway'
const manifest = JSON.parse(readFileSync(join(layer, 'package.json'), 'utf8'))
const packedSchema = z.tuple([
  z.object({ size: z.number(), files: z.array(z.object({ path: z.string(), size: z.number() })) }),
])

/** Packs the package of a folder and returns its size and files. */
function pack(cwd: string) {
  const folder = mkdtempSync(join(tmpdir(), 'fw-pack-'))
  const args = ['pack', '--json', '--pack-destination', folder, '--loglevel=error']
  const written = execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  const [packed] = packedSchema.parse(JSON.parse(written.slice(written.indexOf('[\n'))))
  return { ...packed, paths: packed.files.map(({ path }) => path).toSorted() }
}

let packed: ReturnType<typeof pack>
let paths: string[]
beforeAll(() => {
  packed = pack(layer)
  paths = packed.paths
})

/** The places where files of the package may be. A file anywhere else is unexpected. */
const PLACES: RegExp[] = [
  /^(package\.json|(nuxt\.config|published(-components)?)\.ts|README\.md|LICENSE|CHANGELOG\.md)$/,
  /^(server|modules|shared|testing)\/.+\.(ts|tsx)$/,
  /^app\/.+\.(ts|vue|css|json|html)$/,
  /^cli\/(\w+(-\w+)*\.mjs|hosts\/json-entry\.ts|project\/upgrade\/codemods\.ts)$/,
  /^dist\/cli\/[\w-]+\.mjs$/,
  /^cli\/templates\/(application|notes)\//,
  /^cli\/generate\/locales\/(ar|de|en)\.json$/,
  /^drizzle\/\d{4}_\w+\.sql$/,
  /^public\/favicon\.svg$/,
]

describe('the package', () => {
  it('contains only files that an installed platform needs', () => {
    expect(paths.length).toBeGreaterThan(500)
    expect(paths.filter(path => !PLACES.some(place => place.test(path)))).toEqual([])
    expect(paths.filter(path => /\.(test|spec)\./.test(path) && !path.startsWith('cli/templates/'))).toEqual([])
    expect(paths.filter(path => /(^|\/)(snapshots?|__\w+__|fixtures)\//.test(path))).toEqual([])
  })

  it('contains every migration, but not the metadata of drizzle-kit', () => {
    const journal = JSON.parse(readFileSync(join(layer, 'drizzle/meta/_journal.json'), 'utf8'))
    const tags: string[] = journal.entries.map(({ tag }: { tag: string }) => `drizzle/${tag}.sql`)
    expect(paths.filter(path => path.startsWith('drizzle/'))).toEqual(tags)
  })

  it('contains the licence, the README and the changelog', () => {
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md']))
    const read = (path: string) => readFileSync(path, 'utf8')
    expect(read(join(layer, 'CHANGELOG.md'))).toBe(read('CHANGELOG.md'))
  })

  it('is packed without a change to what a build is made from', () => {
    const copied = ['LICENSE', 'CHANGELOG.md'].map(name => join(layer, name))
    expect(copied.filter(path => !existsSync(path))).toEqual([])
    expect(sourcesOf(authorPlace).filter(path => copied.includes(path))).toEqual([])
  })

  it('is smaller than 2 MB, with no source file over 64 kB', () => {
    expect(packed.size).toBeLessThan(2_000_000)
    expect(packed.files.filter(({ path, size }) => size > 64_000 && !path.startsWith('dist/'))).toEqual([])
  })

  it('exports only files that it contains', () => {
    const exported = Object.values(manifest.exports).flatMap(target =>
      typeof target === 'string' ? target : Object.values(z.record(z.string(), z.string()).parse(target)),
    )
    const targets = [manifest.main, ...exported, ...Object.values(manifest.bin)].map(String)
    expect(targets.filter(target => !paths.includes(target.replace('./', '')))).toEqual([])
  })

  it('contains the files of a new project under names that npm includes', () => {
    expect(paths).toEqual(
      expect.arrayContaining(['cli/templates/application/_dot-gitignore', 'cli/templates/application/_package.json']),
    )
  })

  it('pins exact versions, because an application upgrades all of them with one number', () => {
    const versions = Object.entries<string>({ ...manifest.dependencies, ...manifest.nodePackages })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  it('lists the Node.js packages of this repository, but does not install them in applications', () => {
    expect(manifest.nodePackages).toEqual(JSON.parse(readFileSync('package.json', 'utf8')).optionalDependencies)
    expect(manifest.optionalDependencies).toBeUndefined()
  })

  it('gives new applications one copy of each dependency that it shares with them', () => {
    const { esbuild, tailwindcss, '@nuxt/kit': kit } = manifest.dependencies
    expect(manifest.applicationOverrides).toMatchObject({
      '@nuxt/devtools-kit': { '@nuxt/kit': kit },
      '@nuxt/ui': { esbuild, '@nuxt/kit': kit, '@tailwindcss/oxide': tailwindcss },
      'drizzle-kit': { esbuild },
      nuxt: { '@nuxt/devtools': { '@nuxt/kit': kit } },
    })
  })

  it('gives new applications the versions of the build’s packages that this repository is tested with', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const pins = Object.entries(manifest.applicationOverrides).filter(([, version]) => typeof version === 'string')
    const installed = pins.map(([key]) => {
      const name = key.replace(/(?<=.)@.*/, '')
      return [key, packages[`node_modules/${name}`]?.version]
    })
    expect(Object.fromEntries(pins)).toMatchObject({ vite: expect.any(String), rolldown: expect.any(String) })
    expect(installed).toEqual(pins)
    // Without its lockfile, this repository installs the same ones.
    expect(JSON.parse(readFileSync('package.json', 'utf8')).overrides).toMatchObject(Object.fromEntries(pins))
  })

  it('needs no overrides, because its own dependencies select the right version of esbuild', () => {
    // drizzle-kit requires an older esbuild than vitest's vite accepts. Without this dependency, npm hoists either of them.
    expect(manifest.dependencies).toHaveProperty('esbuild')
    expect(manifest.overrides).toBeUndefined()
  })
})

describe('the desktop package', () => {
  const folder = 'packages/desktop'
  const desktop = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

  it('contains only its sources, README and licence, and every file that it exports', () => {
    const contents = pack(folder).paths
    expect(contents.filter(path => !/^(package\.json|README\.md|LICENSE|src\/.+\.ts)$/.test(path))).toEqual([])
    const exported = Object.values<string>(desktop.exports).map(target => target.replace('./', ''))
    expect(contents).toEqual(expect.arrayContaining([...exported, 'README.md', 'LICENSE']))
  })

  it('and the platform need each other in one version, from one repository', () => {
    expect(desktop).toMatchObject({
      version: manifest.version,
      repository: { ...manifest.repository, directory: folder },
      peerDependencies: { 'nuxt-fairway': manifest.version },
      dependencies: { zod: manifest.dependencies.zod },
    })
    expect(manifest.peerDependencies).toMatchObject({ [desktop.name]: desktop.version })
    expect(manifest.peerDependenciesMeta).toMatchObject({ [desktop.name]: { optional: true } })
  })
})

describe('the package create-nuxt-fairway', () => {
  const folder = 'packages/create'
  const create = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  let place: string
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'fw-create-'))
    const args = ['pack', '--pack-destination', place, '--loglevel=error']
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    execFileSync('tar', ['-xzf', join(place, `create-nuxt-fairway-${create.version}.tgz`), '-C', place])
  })
  const run = (cwd: string, ...args: string[]) =>
    new Promise<[code: number, out: string]>(resolve => {
      execFile(process.execPath, [join(place, 'package/create.mjs'), ...args], { cwd }, (error, out, err) =>
        resolve([Number(error?.code ?? 0), out + err]),
      )
    })

  it('has the version of the platform, no dependencies and at most 400 kB', () => {
    expect(create).toMatchObject({
      version: manifest.version,
      repository: { ...manifest.repository, directory: folder },
    })
    expect(create).not.toHaveProperty('dependencies')
    const { size, paths: contents } = pack(folder)
    expect(size).toBeLessThan(400_000)
    const expected = /^(package\.json|README\.md|LICENSE|create\.mjs|dist\/[\w-]+\.mjs|dist\/platform\/.+)$/
    expect(contents.filter(path => !expected.test(path))).toEqual([])
  })

  it('shows what fw add shows', async () => {
    const app = folderWith({
      'package.json': JSON.stringify({ name: 'old', dependencies: { nuxt: '^4.2.0', zod: '^3.25.0' } }),
      'nuxt.config.ts': "export default defineNuxtConfig({ modules: ['@nuxtjs/i18n'] })",
      'app/pages/index.vue': '<template><p /></template>',
      'server/db/schema.ts': "export const users = sqliteTable('users', {})",
      ...routes(),
    })
    const args = ['add', '--package', '9.9.9', '--dry-run']
    const { code, both } = await startFw(args, {}, app).ended
    expect(await run(app, ...args)).toEqual([code, both])
    expect(both).toContain('app/pages/index.vue stays')
  })

  it('creates what fw new creates', async () => {
    const [app, other] = [folderWith({}), folderWith({})]
    const args = ['notes', '--package', '9.9.9', '--sample', 'notes', '--no-install', '--no-git']
    expect(await run(app, ...args)).toEqual([0, expect.stringContaining('27 files written')])
    await startFw(['new', ...args], {}, other).ended
    expect(filesIn(app)).toEqual(filesIn(other))
  })
})

const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map(path => [path.slice(folder.length), readFileSync(path, 'utf8')]),
  )

/** Routes with the syntax that the two parsers could read differently. */
function routes(): Record<string, string> {
  const bodies = [
    'const { db } = await useFairway(event)\nreturn db',
    'const body = (await readBody(event)) as { a?: string }\nawait requireSession(event)\nreturn body.a!',
    'const who = await getSession(event)\nif (!who?.email) throw createError({ statusCode: 401 })\nreturn who',
    'event.path && (await requireSession(event))',
    'readBody?.(await requireSession(event))',
    'const a = `${await write()}` satisfies string\nawait requireSession(event)\nreturn a',
    'class A { static { write() } }\nawait requireSession(event)',
    'enum B { c = write() }\nawait requireSession(event)',
    'type C = string\nawait requireSession(event)\nreturn { ...(await write()) }',
    'for (const each of []) await requireSession(event)',
    'const { a = await requireSession(event) } = await readBody(event)',
    'await import("./x")\nawait requireSession(event)',
  ]
  const handlers = [
    ...bodies.map(
      body => `export default defineEventHandler(async (event: H3Event<{ body: unknown }>) => {\n${body}\n})`,
    ),
    'export default definePublicRoute(() => 1)',
    'const handler = eventHandler(async event => write(await requireSession(event)))\nexport default handler',
    "export { default } from './x'",
    'export default defineEventHandler(async event => { syntax error',
  ]
  return Object.fromEntries(handlers.map((text, at) => [`server/routes/r${at}.post.ts`, text]))
}
