import { existsSync, readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { platformDir } from '../../modules/registry/roots'
import { type FileChange, readIn } from './changes'
import { platformManifest } from './package-source'
import { templateFiles } from './template'
import { API_PLACE, openRoutes } from '../../modules/author-routes/open-routes'
import { raisedPackages, readNuxtConfig, withPlatform, withReferences } from './config-texts'
import type { Finding } from './finding'
import { preflight } from './preflight'
import { UsageFault } from '../terminal'

export interface AddPlan {
  changes: FileChange[]
  /** Notes for the person, one sentence each. */
  remarks: string[]
  /** What stops the command, and what to know before. */
  findings: Finding[]
}

/** The files of the platform's `app`, in the package create-nuxt-fairway. */
declare const __FW_APP_FILES__: string[] | undefined

const CONFIGS = ['ts', 'mts', 'js', 'mjs'].map(end => `nuxt.config.${end}`)
const PRESETS = ['node-server', 'node_server', 'node']
const manifestSchema = z.looseObject({
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
})

/** Plans the changes that make a Nuxt 4 application extend the platform; throws a UsageFault when it cannot. */
export async function planAdd(folder: string, values: Readonly<Record<string, string>>): Promise<AddPlan> {
  const read = (path: string) => readIn(folder, path)
  const config = CONFIGS.find(path => existsSync(join(folder, path)))
  const manifest = read('package.json')
  if (manifest === undefined || config === undefined)
    throw new UsageFault(
      `${folder} is no Nuxt application: it has no ${manifest === undefined ? 'package.json' : 'nuxt.config.ts'}. \`fw new\` makes one.`,
    )
  checkNuxt(manifest, read('node_modules/nuxt/package.json'))
  const remarks: string[] = []
  const { extended, i18n } = readConfig(config, read(config) ?? '')
  const closesRoutes =
    read('fw.config.ts') === undefined && openRoutes(folder).some(({ path }) => path.startsWith(`${API_PLACE}/`))
  const template = templateFiles('empty', values)
  if (closesRoutes) template.set('fw.config.ts', withClosedRoutes(template.get('fw.config.ts') ?? ''))
  const changes = [
    changed(config, read(config), extended),
    ...planFiles({ folder, manifest, template, remarks }),
  ].filter(({ before, after }) => before !== after)
  const after = changes.find(({ path }) => path === 'package.json')?.after ?? manifest
  const findings = await preflight({
    folder,
    i18n: i18n && { ...i18n, file: config },
    raised: raisedPackages(manifest, after),
    closesRoutes,
  })
  return { changes, remarks: [...remarks, ...replacedFiles(folder)], findings }
}

interface FilesInput {
  folder: string
  manifest: string
  /** The files of a new project. */
  template: ReadonlyMap<string, string>
  remarks: string[]
}

/** The changes of all files but the configuration of Nuxt. */
function planFiles({ folder, manifest, template, remarks }: FilesInput): FileChange[] {
  const read = (path: string) => readIn(folder, path)
  return [
    changed(
      'package.json',
      manifest,
      withPlatform(manifest, {
        template: template.get('package.json') ?? '',
        pins: platformManifest(platformDir).dependencies,
        remarks,
      }),
    ),
    changed(
      'tsconfig.json',
      read('tsconfig.json'),
      withReferences(read('tsconfig.json'), template.get('tsconfig.json') ?? '', remarks),
    ),
    changed('.gitignore', read('.gitignore'), withLines(read('.gitignore'), template.get('.gitignore') ?? '')),
    ...['fw.config.ts', 'drizzle.config.ts', 'vitest.config.ts'].map(path => {
      const before = read(path)
      if (before !== undefined && path !== 'fw.config.ts')
        remarks.push(`${path} is yours and stays; a new project has:\n${template.get(path)}`)
      return changed(path, before, before ?? template.get(path) ?? '')
    }),
  ]
}

/** The settings of an application whose routes are open: each asks for a session, until it is declared public. */
const withClosedRoutes = (text: string): string =>
  text.replace(
    /\n?\}\)\n$/,
    `
  // Every route in server/api asks for a session, except those declared with definePublicRoute.
  routes: { requireSession: true },
})
`,
  )

const changed = (path: string, before: string | undefined, after: string): FileChange => ({ path, before, after })

function checkNuxt(manifest: string, installed: string | undefined): void {
  const { dependencies, devDependencies } = manifestSchema.parse(JSON.parse(manifest))
  const declared = dependencies?.nuxt ?? devDependencies?.nuxt
  const version =
    installed === undefined ? declared : z.object({ version: z.string() }).parse(JSON.parse(installed)).version
  if (version === undefined) throw new UsageFault('This is no Nuxt application: its package.json has no nuxt.')
  const major = Number(/\d+/.exec(version)?.[0])
  if (major !== 4)
    throw new UsageFault(
      `The platform is a layer for Nuxt 4, and this is Nuxt ${version}. See https://nuxt.com/docs/getting-started/upgrade.`,
    )
}

function readConfig(path: string, text: string) {
  const { extended, preset, isClientOnly, i18n } = readNuxtConfig(text, 'nuxt-fairway')
  const wantedPreset = preset ?? process.env.NITRO_PRESET ?? process.env.SERVER_PRESET
  if (wantedPreset !== undefined && !PRESETS.includes(wantedPreset))
    throw new UsageFault(
      `Nitro's preset here is ${wantedPreset}. The platform needs a server of its own, with a database and work in the background: the preset node-server.`,
    )
  if (isClientOnly)
    throw new UsageFault(
      `${path} says ssr: false. The platform renders its pages on the server; without it, they do not open.`,
    )
  if (extended === undefined)
    throw new UsageFault(
      `${path} exports no plain object, so it cannot be changed here. Add this line to it yourself, then run the command again: extends: ['nuxt-fairway']`,
    )
  return { extended, i18n }
}

/** Appends the lines of another list that are missing. */
function withLines(before: string | undefined, wanted: string): string {
  const present = new Set(before?.split('\n').map(line => line.trim().replace(/^\/|\/$/g, '')))
  const missing = wanted.split('\n').filter(line => line && !present.has(line))
  if (before === undefined || missing.length === 0) return before ?? wanted
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`
}

/** Returns sentences about files of an application that override the platform's. */
function replacedFiles(folder: string): string[] {
  const isInApp = existsSync(join(folder, 'app'))
  const find = (dir: string) =>
    globSync('{app.vue,error.vue,{pages,layouts,components}/**/*.vue}', { cwd: dir }).map(path =>
      path.replaceAll('\\', '/'),
    )
  const ownPaths = new Set(find(isInApp ? join(folder, 'app') : folder))
  const ofPlatform = typeof __FW_APP_FILES__ === 'undefined' ? find(join(platformDir, 'app')) : __FW_APP_FILES__
  const replaced = ofPlatform.filter(path => ownPaths.has(path))
  const prefix = isInApp ? 'app/' : ''
  return [
    ...replaced.map(path => `${prefix}${path} stays and replaces the platform's.`),
    ...(ownPaths.has('app.vue') && !showsPages(join(folder, `${prefix}app.vue`))
      ? [
          `${prefix}app.vue shows no pages, so the platform's are not seen either. Move what it shows to ${prefix}pages/index.vue and delete it.`,
        ]
      : []),
  ]
}

const showsPages = (file: string): boolean => /<(NuxtPage|nuxt-page)\b/.test(readFileSync(file, 'utf8'))
