// Nuxt lists pages in the order of files, but the router tries them by rank. So this uses the router's order.
import { existsSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { addTemplate, addTypeTemplate, defineNuxtModule, type useNuxt } from '@nuxt/kit'
import { addServerModule, buildAgain } from '../registry/server-modules'
import { addSiteFiles, publicLanguages } from './site-files'
import { noteFault, tellFault } from '../dev-server/faults'
import type { NuxtApp } from 'nuxt/schema'
import { z } from 'zod'
import { isFrameText, publicGroups, readTexts } from '../texts/read-texts'
import { isPlatformFile } from '../registry/roots'
import { accessFaults } from './access-faults'
import { compilePages, type PageFile, liftPages, publicOf, scriptsOf } from './page-files'
import { hasIcon, navigationFaults } from './navigation-faults'

type Nuxt = ReturnType<typeof useNuxt>

const PAGE_META = `declare module '#app' {
  interface PageMeta {
    /** Rendered on the server with its content and shown to everyone, in the layout for public pages unless it names one. Other pages need a session. With maxAge, caches in front of the server may keep it for so many seconds. */
    public?: boolean | { maxAge?: number }
    /** Shown without the session gate inside another site; the page brings a token of its own. */
    embed?: boolean
    /** False for pages that show nothing of an organization: they are open to people whose organization asks for another way to sign in. */
    needsOrganization?: boolean
    /** Its entry in the sidebar and in the palette. */
    navigation?: {
      /** The key of its text in the catalogs. */
      text: string
      /** The name of an icon, for example i-lucide-book. */
      icon: string
      /** Its place: the platform's entries have 10 to 90, an entry without a number comes at 50. */
      order?: number
      /** The key of a heading in the sidebar: entries with the same one stand together under it, after those without. */
      group?: string
      /** False where it is in the palette only. */
      sidebar?: boolean
      /** Who sees it, by their role in the organization they work in; everybody when not given. It hides the entry and protects nothing. */
      roles?: ('owner' | 'admin' | 'member')[]
      /** The key that leads there after g: one small letter or a digit. */
      shortcut?: string
      /** An entry of the console at /operator, and of the palette, for those who run this installation. */
      area?: 'operator'
      /** True for what those see alone who run this installation, FW_OPERATORS. */
      operators?: boolean
    }
  }
}
export {}
`

const iconOptionsSchema = z.object({ icon: z.object({ collections: z.array(z.string()) }) })

const iconCollections = (options: unknown): string[] =>
  iconOptionsSchema.safeParse(options).data?.icon.collections ?? []

/** The default layout is for signed-in users. Without an explicit layout, public pages get `public` and embed pages none. */
function nameLayouts(pages: PageFile[]): void {
  for (const page of pages) {
    const { meta, children = [] } = page
    if (meta?.embed === true) meta.layout ??= false
    else if (meta && publicOf(page)) meta.layout ??= 'public'
    nameLayouts(children)
  }
}

/** Tells the server which pages the application has and who may see them, based on the pages themselves. */
export default defineNuxtModule({
  meta: { name: 'pages' },
  async setup(_options, nuxt) {
    const languages = JSON.stringify(await publicLanguages(nuxt))
    addSiteFiles(nuxt)
    let pages: PageFile[] = []
    let built: Parameters<typeof scriptsOf>[0] = {}
    nuxt.hook('build:manifest', manifest => void (built = manifest))
    /** The addresses of a page's own scripts, so that browsers load them in parallel with the entry. */
    function addressesOf(file: string | undefined): string[] {
      const { srcDir, app } = nuxt.options
      return scriptsOf(built, src => resolve(srcDir, src) === file).map(name => posix.join(app.buildAssetsDir, name))
    }
    nuxt.hook('pages:resolved', resolved => {
      pages = resolved
      liftPages(pages)
      nameLayouts(pages)
      checkNavigation(nuxt, pages)
      checkAccess(nuxt, pages)
      return serveAgain()
    })
    let served: string | undefined
    /** In development, pages are added and removed while the server runs. */
    async function serveAgain(): Promise<void> {
      const now = listed()
      const isNews = served !== undefined && served !== now
      served = now
      if (nuxt.options.dev && isNews) await buildAgain(nuxt)
    }
    const listed = () =>
      `export const pages = [${compilePages(pages)
        .map(({ path, pattern, kind, maxAge, file }) => {
          const scripts = kind === 'private' ? addressesOf(file) : []
          return `{ path: ${JSON.stringify(path)}, pattern: ${pattern}, kind: ${JSON.stringify(kind)}, maxAge: ${maxAge}, scripts: ${JSON.stringify(scripts)} }`
        })
        .join(', ')}]\n`
    addServerModule('#fw/pages', {
      contents: () => `${listed()}export const publicLanguages = ${languages}\n`,
      types: () =>
        "  export const pages: { path: string; pattern: RegExp; kind: 'public' | 'embed' | 'private'; maxAge?: number; scripts: string[] }[]\n" +
        '  /** The languages that public pages have an address in, the default language first. */\n' +
        '  export const publicLanguages: string[]\n',
    })
    addTemplate({
      filename: 'public-languages.ts',
      write: true,
      getContents: () => `export const publicLanguages: readonly string[] = ${languages}\n`,
    })
    if (!nuxt.options.dev) nuxt.hook('app:templates', frameWithEntry)
    // Declared here and not in a file below app: such files of a layer in node_modules belong to no TypeScript project.
    addTypeTemplate({ filename: 'types/fw-page-meta.d.ts', getContents: () => PAGE_META }, { nuxt: true })
  },
})

/** Checks the navigation entries of pages. Throws if one is invalid. */
function checkNavigation(nuxt: Nuxt, declared: PageFile[]): void {
  const { rootDir } = nuxt.options
  const texts = readTexts(nuxt, 'en')
  const forVisitors = publicGroups(nuxt)
  const collections = iconCollections(nuxt.options)
  const faults = navigationFaults(declared, {
    hasText: key => !forVisitors.has(key.split('.')[0] ?? '') && isFrameText(texts, key),
    hasIcon: name => hasIcon(name, collections, rootDir),
  })
  tellFaults(nuxt, 'navigation', 'These pages cannot be in the navigation', faults)
}

/** Checks who may open each page. Throws if that is unclear. */
function checkAccess(nuxt: Nuxt, declared: PageFile[]): void {
  const read = (file: string) => (isPlatformFile(file) || !existsSync(file) ? undefined : readFileSync(file, 'utf8'))
  tellFaults(nuxt, 'pages', 'It is not clear who may open these pages', accessFaults(declared, read))
}

function tellFaults(nuxt: Nuxt, source: string, what: string, faults: readonly string[]): void {
  if (faults.length === 0) return noteFault(nuxt, source, undefined)
  const lines = faults.map(fault => `  - ${fault.replaceAll(`${nuxt.options.rootDir}/`, '')}`)
  const fault = new Error(`${what}:\n${lines.join('\n')}`)
  // Development continues, so that it detects the fix.
  if (!nuxt.options.dev) throw fault
  tellFault(nuxt, source, fault)
}

/**
 * Bundles the frame of private pages into the entry, because nearly every page requires it. A separate chunk would cost another
 * round trip.
 */
function frameWithEntry({ templates, layouts }: NuxtApp): void {
  const template = templates.find(({ filename }) => filename === 'layouts.mjs')
  const frame = layouts.default?.file
  if (!template || !frame) return
  const others = Object.values(layouts).filter(({ name }) => name !== 'default')
  template.getContents = () =>
    [
      `import { defineAsyncComponent } from 'vue'`,
      `import frame from ${JSON.stringify(frame)}`,
      'export default {',
      '  default: frame,',
      ...others.map(
        ({ name, file }) =>
          `  ${JSON.stringify(name)}: defineAsyncComponent(() => import(${JSON.stringify(file)}).then(module => module.default)),`,
      ),
      '}',
    ].join('\n')
}
