import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

/** The tasks of readers, in the order of the sidebar; a guide names its own in its head, as `task: Build`. */
const TASKS = ['Begin', 'Build', 'Sign people in', 'Connect hosts and services', 'Run it']
const REFERENCE = 'Reference'
const PROOF = 'What proves it'

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
  if (task && TASKS.includes(task)) return task
  if (task || path.startsWith('guides/'))
    throw new Error(`docs/${path} needs a \`task\` in its head, one of: ${TASKS.join(', ')}.`)
  return path.startsWith('reference/') ? REFERENCE : PROOF
}

/** The sidebar of the site, out of the documents themselves: by task, then the reference, then what proves the platform. */
export function sidebar(folder: string, excluded: readonly string[]): DefaultTheme.SidebarItem[] {
  const pages = globSync('**/*.md', { cwd: folder, exclude: ['index.md', ...excluded] }).map(path =>
    readPage(folder, path),
  )
  return [...TASKS, REFERENCE, PROOF].map(group => ({
    text: group,
    collapsed: group === REFERENCE || group === PROOF,
    items: pages
      .filter(page => page.group === group)
      .toSorted((a, b) => a.order - b.order || a.title.localeCompare(b.title))
      .map(({ path, title }) => ({ text: title, link: `/${path.replace(/\.md$/, '')}` })),
  }))
}
