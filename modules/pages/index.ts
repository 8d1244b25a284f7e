import { addServerTemplate, addTypeTemplate, defineNuxtModule } from '@nuxt/kit'
import { compilePages, type PageFile } from './compile-pages'

/** Inside another site there is no frame of ours and no session gate: an embed page has no layout unless it names one. */
function withoutLayout(pages: PageFile[]): void {
  for (const page of pages) {
    if (page.meta?.embed === true) page.meta.layout ??= false
    withoutLayout(page.children ?? [])
  }
}

/** Tells the server which application pages there are and who may see them, from the pages themselves. */
export default defineNuxtModule({
  meta: { name: 'pages' },
  setup(_options, nuxt) {
    let pages: PageFile[] = []
    nuxt.hook('pages:resolved', resolved => {
      pages = resolved
      withoutLayout(pages)
    })
    addServerTemplate({
      filename: '#fw/pages',
      getContents: () =>
        `export const pages = [${compilePages(pages)
          .map(
            page =>
              `{ path: ${JSON.stringify(page.path)}, pattern: ${page.pattern}, kind: ${JSON.stringify(page.kind)} }`,
          )
          .join(', ')}]\n`,
    })
    addTypeTemplate(
      {
        filename: 'types/fw-pages.d.ts',
        getContents: () =>
          `declare module '#fw/pages' {\n  export const pages: { path: string; pattern: RegExp; kind: 'public' | 'embed' | 'private' }[]\n}\n`,
      },
      { nitro: true, nuxt: true },
    )
  },
})
