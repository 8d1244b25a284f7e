import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

/** The groups of the sidebar, in order. A page names its group in its head, as `task: Build`. */
const GROUPS = [
  'Start',
  'Tutorial',
  'Concepts',
  'Build',
  'Sign people in',
  'Connect hosts and services',
  'Recipes',
  'Reference',
  'Comparison',
  'Operations',
  'Contributing',
]
/** Pages of these folders need no `task`. */
const BY_FOLDER = new Map([
  ['concepts', 'Concepts'],
  ['recipes', 'Recipes'],
  ['reference', 'Reference'],
  ['internal', 'Contributing'],
])
const COLLAPSED = ['Reference', 'Contributing']

interface Page {
  path: string
  title: string
  group: string
  order: number
}

/** What the head and the first heading of a document say about it; throws with the name of the file where something is missing. */
function readPage(folder: string, path: string): Page {
  const text = readFileSync(join(folder, path), 'utf8')
  const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? []
  const said = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1]
  const title = said('title') ?? /^# (.+)$/m.exec(text)?.[1]
  if (!title) throw new Error(`docs/${path} has no heading.`)
  const group = groupOf(path, said('task'))
  return { path, title: title.replaceAll(/[`']/g, ''), group, order: Number(said('order') ?? 500) }
}

function groupOf(path: string, task: string | undefined): string {
  const group = task ?? BY_FOLDER.get(path.split('/')[0] ?? '')
  if (group && GROUPS.includes(group)) return group
  throw new Error(`docs/${path} needs a \`task\` in its head, one of: ${GROUPS.join(', ')}.`)
}

/** Builds the sidebar from the heads of the documents. */
export function sidebar(folder: string, excluded: readonly string[]): DefaultTheme.SidebarItem[] {
  const pages = globSync('**/*.md', { cwd: folder, exclude: ['index.md', ...excluded] }).map(path =>
    readPage(folder, path),
  )
  return GROUPS.map(group => ({
    text: group,
    collapsed: COLLAPSED.includes(group),
    items: pages
      .filter(page => page.group === group)
      .toSorted((a, b) => a.order - b.order || a.title.localeCompare(b.title))
      .map(({ path, title }) => ({ text: title, link: `/${path.replace(/\.md$/, '')}` })),
  }))
}
