import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { published } from '#fairway/published'

const root = fileURLToPath(new URL('../..', import.meta.url))
const site = join(mkdtempSync(join(tmpdir(), 'fw-site-')), 'site')

/** The built pages by their addresses, as on a server with clean URLs. */
const pages = new Map<string, string>()
const files = new Set<string>()

const addressOf = (file: string) => `/${file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`
const idsOf = (html: string) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
const targetsOf = (html: string) =>
  [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target.replaceAll('&amp;', '&'))

beforeAll(() => {
  // VitePress fails on links to missing pages.
  execFileSync(join(root, 'node_modules/.bin/vitepress'), ['build', 'docs', '--outDir', site], {
    cwd: root,
    stdio: 'pipe',
  })
  for (const file of globSync('**/*', { cwd: site })) {
    files.add(`/${file}`)
    if (file.endsWith('.html')) pages.set(addressOf(file), readFileSync(join(site, file), 'utf8'))
  }
})

describe('documentation site', () => {
  it('has a page for every document', () => {
    const documents = globSync('**/*.md', { cwd: join(root, 'docs'), exclude: ['internal/spec-coverage.md'] })
    expect(documents.length).toBeGreaterThan(40)
    expect(documents.filter(path => !pages.has(addressOf(path.replace(/\.md$/, '.html'))))).toEqual([])
  })

  it('lists every published component in the components guide', () => {
    const guide = readFileSync(join(root, 'docs/guides/components.md'), 'utf8')
    expect(Object.keys(published.components).filter(name => !new RegExp(`\\b${name}\\b`).test(guide))).toEqual([])
  })

  it('has no broken links to pages, files or headings', () => {
    const broken = [...pages].flatMap(([address, html]) =>
      targetsOf(html).flatMap(target => {
        const { origin, pathname, hash } = new URL(target, `http://site${address}`)
        if (origin !== 'http://site') return []
        const path = decodeURIComponent(pathname)
        const there = pages.get(path)
        if (there === undefined) return files.has(path) ? [] : [`${address} → ${target}`]
        return hash === '' || idsOf(there).has(decodeURIComponent(hash.slice(1))) ? [] : [`${address} → ${target}`]
      }),
    )
    expect([...new Set(broken)]).toEqual([])
  })

  it('loads no scripts, styles, images, frames or fonts from other origins', () => {
    const foreign = [...pages.values()].flatMap(html =>
      [...html.matchAll(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(https?:[^"]+)"/g)].map(([, url]) => url),
    )
    const styles = [...files].filter(path => path.endsWith('.css')).map(path => readFileSync(join(site, path), 'utf8'))
    expect(foreign).toEqual([])
    expect(styles.join('\n')).not.toMatch(/url\(["']?https?:|@font-face/)
  })

  it('lists every page once in the sidebar', () => {
    const [, tutorial = ''] = [...pages].find(([address]) => address === '/guides/start') ?? []
    const [, sidebar = ''] = /<nav[^>]+id="VPSidebarNav"(.*?)<\/nav>/s.exec(tutorial) ?? []
    const links = targetsOf(sidebar)
    expect(links).toHaveLength(new Set(links).size)
    expect(links.length).toBe(pages.size - 2)
  })
})
