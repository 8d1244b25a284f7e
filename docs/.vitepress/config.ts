import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { copyRepositoryFiles, linkRepositoryFiles, nameFiles, serveRepositoryFiles } from './markdown.ts'
import { sidebar } from './sidebar.ts'

const docs = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
/** For contributors only: it links to source files that are not on the site. */
const excluded = ['internal/spec-coverage.md']
const linked = new Set<string>()

/** Headings have the same anchors as where the repository is shown. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

export default defineConfig({
  lang: 'en',
  title: 'Fairway',
  description: 'An application platform for Nuxt: declare an action once, have it everywhere.',
  srcExclude: excluded,
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: '/mark.svg', type: 'image/svg+xml' }]],
  markdown: {
    config: markdown => {
      linkRepositoryFiles(markdown, docs, linked)
      nameFiles(markdown)
    },
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  buildEnd: ({ outDir }) => copyRepositoryFiles(docs, outDir, linked),
  vite: { plugins: [serveRepositoryFiles(docs, linked)] },
  themeConfig: {
    logo: { light: '/mark.svg', dark: '/mark-dark.svg' },
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Concepts', link: '/concepts/request-life', activeMatch: '/concepts/' },
      { text: 'Guides', link: '/guides/start', activeMatch: '/guides/' },
      { text: 'Recipes', link: '/recipes/relations', activeMatch: '/recipes/' },
      { text: 'Reference', link: '/reference/fw', activeMatch: '/reference/' },
    ],
    sidebar: sidebar(docs, excluded),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
  },
})
