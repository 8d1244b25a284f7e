import type { ShellPage } from '../find-page'

interface Declared {
  name: string
  action: { embed: readonly string[] }
}

/** Throws when an action lets a page read it that is not there or not an embed page; the message names both. */
export function checkEmbedDeclarations(catalog: readonly Declared[], pages: readonly ShellPage[]): void {
  const known = pages.filter(page => page.kind === 'embed').map(page => page.path)
  const faults = catalog.flatMap(({ name, action }) =>
    action.embed.filter(path => !known.includes(path)).map(path => `${name}: ${path} is not an embed page`),
  )
  if (faults.length === 0) return
  throw new Error(
    `These actions name wrong pages (embed pages: ${known.join(', ') || 'none'}):\n  - ${faults.join('\n  - ')}`,
  )
}
