import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { addTemplate, defineNuxtModule, getLayerDirectories, updateTemplates } from '@nuxt/kit'
import type { ModuleOptions } from '@nuxt/icon'
import { IconUsageScanner, resolveBundleIcons } from '@nuxt/icon/utils'
import { isPlatformFile } from '../registry/roots'

type IconData = { body: string } & Partial<Record<'left' | 'top' | 'width' | 'height', number>>

/** An icon that the style sheet lacks is shown as an empty space. */
const EVERY_ICON =
  '.iconify{display:inline-block;width:1em;height:1em;background:currentColor;mask:var(--icon,linear-gradient(#0000,#0000)) 50%/100% 100%}'

/**
 * Generates a style sheet of the icons that Nuxt Icon has found in the sources. Scripts contain no icon: Nuxt Icon adds nothing
 * for a class that a style sheet already has.
 */
export default defineNuxtModule({
  meta: { name: 'icons' },
  setup(_options, nuxt) {
    const names = new Set<string>()
    /** The classes that Nuxt Icon does not look up while it renders on the server. */
    let known: NonNullable<ModuleOptions['serverKnownCssClasses']> = []
    nuxt.hook('icon:serverKnownCssClasses', classes => void (known = classes))
    const scanned = new Promise<void>(resolveScan => {
      nuxt.hook('modules:done', () => {
        // The last handler sees the icons of all modules. Nuxt Icon puts the remaining ones into the script: none.
        nuxt.hook('icon:clientBundleIcons', icons => {
          for (const name of icons) names.add(name)
          icons.clear()
          resolveScan()
        })
      })
    })
    async function getContents() {
      await scanned
      const resolvePaths = [nuxt.options.workspaceDir, ...getLayerDirectories(nuxt).map(({ root }) => root)]
      const { collections } = await resolveBundleIcons({ scannedIcons: names, resolvePaths })
      const icons = collections.flatMap(({ prefix, icons, ...size }) =>
        Object.entries(icons).map(([name, icon]) => [`${prefix}:${name}`, { ...size, ...icon }] as const),
      )
      known.splice(0, known.length, ...icons.map(([name]) => `i-${name}`))
      return `@layer base {\n${[EVERY_ICON, ...icons.map(([name, icon]) => iconRule(name, icon))].join('\n')}\n}\n`
    }
    const css = addTemplate({ filename: 'icons.css', write: true, getContents })
    nuxt.options.css.splice(nuxt.options.css.findLastIndex(file => isPlatformFile(file)) + 1, 0, css.dst)
    // Nuxt Icon scans only when the server starts. This adds the icons of files that change later.
    const scanner = new IconUsageScanner(true)
    nuxt.hook('builder:watch', async (_event, path) => {
      const source = resolve(nuxt.options.srcDir, path)
      if (!/\.(vue|ts)$/.test(source) || !existsSync(source)) return
      const before = names.size
      scanner.extractFromCode(readFileSync(source, 'utf8'), names)
      if (names.size === before) return
      await nuxt.runWithContext(() => updateTemplates({ filter: ({ filename }) => filename === css.filename }))
    })
  },
})

/** Draws an icon of one colour in the text colour, and any other as a picture. */
export function iconRule(name: string, { body, left = 0, top = 0, width = 16, height = width }: IconData): string {
  const drawn = body.replaceAll('currentColor', '#000').replaceAll('"', "'")
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='${left} ${top} ${width} ${height}'>${drawn}</svg>`
  const url = `url("data:image/svg+xml,${svg.replace(/[%#<>]/g, encodeURIComponent)}")`
  const picture = body.includes('currentColor') ? `--icon:${url}` : `mask:none;background:${url} 50%/100% 100%`
  return `.i-${name.replace(':', String.raw`\:`)}{${picture}${width === height ? '' : `;width:${width / height}em`}}`
}
