import { addTemplate, defineNuxtModule } from '@nuxt/kit'
import { isPlatformFile } from '../registry/roots'

type IconData = { body: string } & Partial<Record<'left' | 'top' | 'width' | 'height', number>>

const BUNDLE = 'nuxt-icon-client-bundle.mjs'
/** An icon that the style sheet lacks is shown as an empty space. */
const EVERY_ICON =
  '.iconify{display:inline-block;width:1em;height:1em;background:currentColor;mask:var(--icon,linear-gradient(#0000,#0000)) 50%/100% 100%}'

/**
 * Generates a style sheet of the icons that Nuxt Icon has found in the sources. Its own plugin and component require a library
 * that is a tenth of the first page's JavaScript. `app/icon.ts` replaces them (modules/light-parts).
 */
export default defineNuxtModule({
  meta: { name: 'icons' },
  setup(_options, nuxt) {
    nuxt.hook('app:resolve', app => {
      app.plugins = app.plugins.filter(({ src }) => !src.includes('@nuxt/icon/'))
    })
    const css = addTemplate({
      filename: 'icons.css',
      write: true,
      getContents: async ({ app }) => {
        const found = app.templates.find(({ filename }) => filename === BUNDLE)
        const code =
          (await found?.getContents?.({ nuxt, app, options: found.options ?? {} })) ?? 'export const init = () => {}'
        // Its `init` does nothing the second time, and identical text is the same module.
        const { init } = await import(`data:text/javascript,${encodeURIComponent(`${code}\n// ${performance.now()}`)}`)
        const rules = [EVERY_ICON]
        init((name: string, icon: IconData) => rules.push(iconRule(name, icon)))
        return `@layer base {\n${rules.join('\n')}\n}\n`
      },
    })
    nuxt.options.css.splice(nuxt.options.css.findLastIndex(file => isPlatformFile(file)) + 1, 0, css.dst)
  },
})

/** Draws an icon of one colour in the text colour, and any other as a picture. */
export function iconRule(name: string, { body, left = 0, top = 0, width = 16, height = width }: IconData): string {
  const drawn = body.replaceAll('currentColor', '#000').replaceAll('"', "'")
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='${left} ${top} ${width} ${height}'>${drawn}</svg>`
  const url = `url("data:image/svg+xml,${svg.replace(/[%#<>]/g, encodeURIComponent)}")`
  const picture = body.includes('currentColor') ? `--icon:${url}` : `mask:none;background:${url} 50%/100% 100%`
  return `.i-${name.replace(':', '-')}{${picture}${width === height ? '' : `;width:${width / height}em`}}`
}
