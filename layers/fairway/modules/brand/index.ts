import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { addTemplate, defineNuxtModule, getLayerDirectories, type useNuxt } from '@nuxt/kit'
import type { NitroConfig } from 'nitropack/types'
import { type Accent, type Brand, DEFAULT_SOCIAL_IMAGE, MAIL_MARK } from '../../server/kernel/config/brand'
import type { FwConfig } from '../../server/kernel/config/fw-config'
import { isCatalog } from '../../server/kernel/locale-files'
import type { Language } from '../../shared/languages'
import { appTheme, TYPEFACE_FILE, TYPEFACE_PATH } from '../../server/kernel/config/theme'
import { tellFault } from '../dev-server/faults'
import { platformDir, isPlatformFile } from '../registry/roots'
import { loadFwConfig } from '../registry/load-declarations'
import { readOffered, readTexts } from '../texts/read-texts'
import { mailMark, socialImage } from './social-image'

const FOLDER = 'brand-public'

/**
 * Provides pages with the name, the logo and the colours of fw.config.ts, and whether there are plans. The server reads them
 * there itself.
 */
export default defineNuxtModule({
  meta: { name: 'brand' },
  async setup(_options, nuxt) {
    const { brand, plans } = await loadSettings(nuxt)
    const folders = getLayerDirectories(nuxt).map(dirs => dirs.public)
    const logoFile = brand.logo && pictureFile(folders, brand.logo.light)
    if (brand.logo) pictureFile(folders, brand.logo.dark)
    if (brand.socialImage) pictureFile(folders, brand.socialImage, 'brand.socialImage')

    nuxt.options.appConfig.name = brand.name
    nuxt.options.appConfig.hasPlans = plans !== null
    const { head } = nuxt.options.app
    head.title ??= brand.name
    head.meta = [...(head.meta ?? []), { name: 'theme-color', content: brand.accent[800] }]
    head.link = [
      ...(head.link ?? []),
      { rel: 'preload', href: TYPEFACE_PATH, as: 'font', type: 'font/woff2', crossorigin: '' },
    ]
    addTemplate({ filename: 'brand.ts', write: true, getContents: () => brandModule(brand) })
    const css = addTemplate({ filename: 'brand.css', write: true, getContents: () => `${appTheme(brand.accent)}\n` })
    nuxt.options.css.splice(nuxt.options.css.findLastIndex(file => isPlatformFile(file)) + 1, 0, css.dst)

    const loading = loadingText(nuxt, (await readOffered(nuxt)).defaultLanguage)
    const frame = addTemplate({
      filename: 'brand-frame.html',
      write: true,
      getContents: () => loadingFrame(brand, loading),
    })
    if (nuxt.options.spaLoadingTemplate === true) nuxt.options.spaLoadingTemplate = frame.dst

    addTemplate({
      filename: `${FOLDER}/favicon.svg`,
      write: true,
      getContents: () => favicon(logoFile ?? undefined, brand.accent),
    })
    const folder = join(nuxt.options.buildDir, FOLDER)
    nuxt.hook('nitro:config', config => serveFirst(config, folder))
    // `nuxt build` empties its folder after `nitro:config`, and only templates are written again.
    nuxt.hook('build:before', () => {
      mkdirSync(join(folder, dirname(TYPEFACE_PATH)), { recursive: true })
      writeFileSync(join(folder, DEFAULT_SOCIAL_IMAGE), socialImage(brand.accent[800]))
      writeFileSync(join(folder, MAIL_MARK), mailMark(brand.accent[800]))
      copyFileSync(createRequire(import.meta.url).resolve(TYPEFACE_FILE), join(folder, TYPEFACE_PATH))
    })
  },
})

/** The first folder with the file wins: the application's own icon, then this one, then the platform's. */
function serveFirst(config: Pick<NitroConfig, 'plugins' | 'publicAssets'>, dir: string): void {
  const assets = (config.publicAssets ??= [])
  const ours = assets.findIndex(asset => asset?.dir && join(asset.dir, '.') === join(platformDir, 'public'))
  assets.splice(ours < 0 ? assets.length : ours, 0, { dir })
}

function pictureFile(folders: readonly string[], path: string, option = 'brand.logo'): string {
  const file = folders.map(folder => join(folder, path)).find(candidate => existsSync(candidate))
  if (file) return file
  throw new Error(`fw.config.ts: ${option} is ${path}, but there is no public${path}; put the picture there`)
}

const brandModule = ({ logo }: Brand): string =>
  `/** The product's picture, for light and for dark pages; null where it has none. */\n` +
  `export const logo: { light: string; dark: string } | null = ${JSON.stringify(logo)}\n`

/** The placeholder of a page until its code loads (app/spa-loading-template.html): the frame with the product's name. */
async function loadingFrame({ name, logo }: Brand, loading: string): Promise<string> {
  const template = readFileSync(join(platformDir, 'app/spa-loading-template.html'), 'utf8')
  const shapes = readFileSync(MARK, 'utf8').replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')
  const marks = logo
    ? pictures(logo).map(([src, shown]) => h('img', { src, alt: '', class: ['h-6 w-auto max-w-40 shrink-0', shown] }))
    : [h('svg', { ...OUTLINE, class: 'size-6 shrink-0 text-primary', innerHTML: shapes })]
  const row = h('div', { class: 'flex h-9 items-center gap-2 px-2 font-semibold text-highlighted' }, [
    ...marks,
    h('span', { class: 'icons:hidden' }, name),
  ])
  const heading = await renderToString(h('h1', { class: 'sr-only' }, loading))
  return template.replace('<!--brand-->', await renderToString(row)).replace('<!--heading-->', () => heading)
}

/** The heading of the placeholder in a language; English when the language lacks it. */
function loadingText(nuxt: ReturnType<typeof useNuxt>, language: Language): string {
  const { gate } = readTexts(nuxt, language)
  const text = isCatalog(gate) ? gate.loading : undefined
  return typeof text === 'string' ? text : 'Loading'
}

/** The files of a logo, each with the class of its theme. */
const pictures = ({ light, dark }: NonNullable<Brand['logo']>): [src: string, shown: string][] =>
  light === dark
    ? [[light, '']]
    : [
        [light, 'dark:hidden'],
        [dark, 'hidden dark:block'],
      ]

const OUTLINE = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': 2,
  'stroke-linecap': 'round',
}

const MARK = join(platformDir, 'public/favicon.svg')
const MARK_COLOUR = 'stroke="#166534"'

/** The favicon as SVG: the logo's picture, or the platform's mark in the accent colours. */
export function favicon(logoFile: string | undefined, accent: Accent): string {
  if (logoFile?.endsWith('.svg')) return readFileSync(logoFile, 'utf8')
  if (logoFile) return pictureIn(readFileSync(logoFile).toString('base64'))
  const mark = readFileSync(MARK, 'utf8')
  if (!mark.includes(MARK_COLOUR)) throw new Error(`${MARK} has no ${MARK_COLOUR}`)
  const style = `<style>svg{stroke:${accent[800]}}@media(prefers-color-scheme:dark){svg{stroke:${accent[400]}}}</style>`
  return mark.replace(` ${MARK_COLOUR}`, '').replace('>', `>${style}`)
}

const pictureIn = (png: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><image width="32" height="32" href="data:image/png;base64,${png}"/></svg>\n`

/**
 * The current settings of fw.config.ts. Throws with the file's name and the error. In development it reports the error and
 * returns the platform's settings, so that the server keeps running until the fix.
 */
export async function loadSettings(nuxt: ReturnType<typeof useNuxt>): Promise<FwConfig> {
  const { rootDir, dev } = nuxt.options
  try {
    return await loadFwConfig(rootDir)
  } catch (error) {
    if (!dev) throw error
    tellFault(nuxt, 'brand', error)
    return await loadFwConfig(platformDir)
  }
}
