import { foldText } from '#fairway/shared/fold-text'
import type { CatalogTool, ToolCatalog } from '#fairway/shared/schemas/tool-catalog'
import { toWords } from './action-title'

/** The catalog with its tools sorted by name. */
export const toolsByName = (catalog: ToolCatalog): ToolCatalog => ({
  ...catalog,
  tools: catalog.tools.toSorted((a, b) => a.name.localeCompare(b.name)),
})

/** The entries that contain every word of a search in their name, title or description. */
export function matching<Item extends { name: string; title?: string; description?: string }>(
  items: readonly Item[],
  query: string,
): Item[] {
  const words = foldText(query).split(/\s+/).filter(Boolean)
  return items.filter(item => {
    const text = foldText([item.name, item.title, item.description].join(' '))
    return words.every(word => text.includes(word))
  })
}

/** Tools grouped by the folder of their declaration: the application's own first, then the platform's. */
interface ToolGroup<Tool> {
  id: string
  name: string
  isPlatform: boolean
  tools: Tool[]
}

/** The groups of a list of tools, each in the order of the list. */
export function groupTools<Tool extends Pick<CatalogTool, 'group' | 'isPlatform'>>(
  tools: readonly Tool[],
): ToolGroup<Tool>[] {
  const groups = Map.groupBy(tools, ({ group, isPlatform }) => `${isPlatform ? 'platform' : 'application'}/${group}`)
  return [...groups]
    .map(([id, [first, ...others]]) => ({
      id,
      name: toWords(first!.group),
      isPlatform: first!.isPlatform,
      tools: [first!, ...others],
    }))
    .toSorted((a, b) => Number(a.isPlatform) - Number(b.isPlatform) || a.name.localeCompare(b.name))
}
