import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addTemplate, defineNuxtModule, getLayerDirectories } from '@nuxt/kit'
import type { NitroConfig } from 'nitropack/types'
import type { Brand } from '../../server/kernel/config/brand'
import { houseDir, isHouse } from '../registry/roots'
import { favicon } from './favicon'
import { loadBrand } from './load-brand'

const FOLDER = 'brand-public'

/** Gives pages the name, the logo and the colours that fw.config.ts declares; the server reads them there itself. */
export default defineNuxtModule({
  meta: { name: 'brand' },
  async setup(_options, nuxt) {
    const brand = await loadBrand(nuxt)
    const folders = getLayerDirectories(nuxt).map(dirs => dirs.public)
    const logoFile = brand.logo && pictureFile(folders, brand.logo.light)
    if (brand.logo) pictureFile(folders, brand.logo.dark)

    nuxt.options.appConfig.name = brand.name
    const { head } = nuxt.options.app
    head.title ??= brand.name
    head.meta = [...(head.meta ?? []), { name: 'theme-color', content: brand.accent[800] }]
    addTemplate({ filename: 'brand.ts', write: true, getContents: () => brandModule(brand) })
    const css = addTemplate({ filename: 'brand.css', write: true, getContents: () => colours(brand) })
    nuxt.options.css.splice(nuxt.options.css.findLastIndex(file => isHouse(file)) + 1, 0, css.dst)

    addTemplate({
      filename: `${FOLDER}/favicon.svg`,
      write: true,
      getContents: () => favicon(logoFile ?? undefined, brand.accent),
    })
    nuxt.hook('nitro:config', config => serveFirst(config, join(nuxt.options.buildDir, FOLDER)))
  },
})

/** The first folder that has a file wins: an application's own icon, then this one, then the platform's. */
function serveFirst(config: Pick<NitroConfig, 'plugins' | 'publicAssets'>, dir: string): void {
  const assets = (config.publicAssets ??= [])
  const ours = assets.findIndex(asset => asset?.dir && join(asset.dir, '.') === join(houseDir, 'public'))
  assets.splice(ours < 0 ? assets.length : ours, 0, { dir })
}

function pictureFile(folders: readonly string[], path: string): string {
  const file = folders.map(folder => join(folder, path)).find(candidate => existsSync(candidate))
  if (file) return file
  throw new Error(`fw.config.ts: brand.logo is ${path}, but there is no public${path}; put the picture there`)
}

const brandModule = ({ logo }: Brand): string =>
  `/** The product's picture, for light and for dark pages; null where it has none. */\n` +
  `export const logo: { light: string; dark: string } | null = ${JSON.stringify(logo)}\n`

/** The theme's own colour (app/assets/main.css says where each of its shades is used). */
const colours = ({ accent }: Brand): string =>
  `:root{${Object.entries(accent)
    .map(([shade, colour]) => `--color-fairway-${shade}:${colour}`)
    .join(';')}}\n`
