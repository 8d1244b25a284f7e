import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import type { Plugin } from 'vite'

/** Where the site shows files of the repository; as plain text, whatever they are. */
const PLACE = '/files/'
const found = (docs: string, url: string) => join(docs, '..', url.slice(PLACE.length).replace(/\.txt$/, ''))

/** Links that leave the folder of the documents lead to a copy of the file on the site; one to no file is left to the check of dead links. */
export function linkRepositoryFiles(markdown: MarkdownRenderer, docs: string, linked: Set<string>): void {
  markdown.core.ruler.push('repository-files', state => {
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (!href || /^([a-z]+:|#|\/)/.test(href)) continue
      const file = join(dirname(state.env.path), href.replace(/#.*/, ''))
      const path = relative(join(docs, '..'), file)
      if (path.startsWith('docs/') || path.startsWith('..') || !existsSync(file)) continue
      linked.add(path)
      token.attrSet('href', `${PLACE}${path}.txt`)
      token.attrSet('target', '_blank')
    }
  })
}

/** Puts the linked files beside the built pages. */
export function copyRepositoryFiles(docs: string, outDir: string, linked: Set<string>): void {
  for (const path of linked) cpSync(join(docs, '..', path), join(outDir, `${PLACE}${path}.txt`))
}

/** The same while somebody writes. */
export const serveRepositoryFiles = (docs: string, linked: Set<string>): Plugin => ({
  name: 'repository-files',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const file = path.startsWith(PLACE) ? found(docs, path) : ''
      if (!file || !linked.has(relative(join(docs, '..'), file))) return next()
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      response.end(readFileSync(file))
    })
  },
})

/** A block of code that is a whole file (`ts [path]`) has the path above it. */
export function nameFiles(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.fence
  markdown.renderer.rules.fence = (...args) => {
    const [tokens, index] = args
    const [, path] = /\[(.+)\]/.exec(tokens[index]?.info ?? '') ?? []
    const block = render?.(...args) ?? ''
    return path ? `<p class="file-name"><code v-pre>${markdown.utils.escapeHtml(path)}</code></p>${block}` : block
  }
}
