import type { CommandPaletteItem } from '@nuxt/ui'
import { addRecent, readRecents, type Recent } from '../palette/recents'
import { SECTIONS } from '../palette/sections'
import type { CatalogTool } from '#fairway/shared/schemas/tool-catalog'

/** What this person opened last from the palette, and how to add to it. */
function useRecents() {
  const { session } = useSession()
  const { isOpen } = usePalette()
  const whose = computed(() => ({ userId: session.value?.userId ?? '', orgId: session.value?.orgId ?? null }))
  const recent = shallowRef<Recent[]>([])

  function remember(entry: Recent): void {
    recent.value = addRecent(whose.value, entry)
  }
  watch(
    [isOpen, whose],
    () => {
      if (isOpen.value) recent.value = readRecents(whose.value)
    },
    { immediate: true },
  )

  return { recent, remember }
}

/** What the palette offers besides data and commands: pages and their sections, actions, and what was opened last. */
export function usePaletteEntries(tools: () => readonly CatalogTool[]) {
  const { t } = useI18n()
  const router = useRouter()
  const { session } = useSession()
  const { titleOf } = useToolTexts()
  const { isOpen, actionName } = usePalette()
  const { palette: declared } = useNavigation()
  const { recent, remember } = useRecents()

  function go(path: string, entry: Recent): void {
    remember(entry)
    isOpen.value = false
    void router.push(path)
  }

  const toPage = (to: string) => () => go(to, { kind: 'page', key: to })
  const isThere = (to: string) => router.resolve(to).matched.some(({ path }) => !path.includes('(.*)'))

  const pages = computed<CommandPaletteItem[]>(() =>
    declared.value.map(({ to, icon, label, shortcut }) => ({
      label,
      icon,
      keys: shortcut && ['g', shortcut],
      to,
      onSelect: toPage(to),
    })),
  )
  const sections = computed<CommandPaletteItem[]>(() => {
    const role = session.value?.orgRole
    return SECTIONS.filter(({ to, roles }) => isThere(to) && (!roles || (role && roles.includes(role)))).map(
      ({ to, icon, page, text }) => ({
        label: t(`sections.${text}`),
        prefix: `${t(`pages.${page}`)}:`,
        icon,
        to,
        onSelect: toPage(to),
      }),
    )
  })
  const actions = computed<CommandPaletteItem[]>(() =>
    tools()
      .filter(({ http }) => http)
      .map(tool => ({
        label: titleOf(tool),
        name: tool.name,
        slot: 'action' as const,
        keywords: tool.description,
        icon: tool.destructive ? 'i-lucide-triangle-alert' : 'i-lucide-play',
        onSelect: () => {
          remember({ kind: 'action', key: tool.name })
          actionName.value = tool.name
        },
      })),
  )
  const recents = computed<CommandPaletteItem[]>(() =>
    recent.value.flatMap(({ kind, key, label, icon }): CommandPaletteItem[] => {
      if (kind === 'action') return actions.value.filter(({ name }) => name === key)
      if (kind === 'page') return [...pages.value, ...sections.value].filter(({ to }) => to === key)
      return [{ label, icon, onSelect: () => go(key, { kind, key, label, icon }) }]
    }),
  )

  return { pages, sections, actions, recents, go }
}
