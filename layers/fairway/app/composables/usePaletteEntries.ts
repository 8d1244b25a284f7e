import type { CommandPaletteItem } from '@nuxt/ui'
import { watchDebounced } from '@vueuse/core'
import type { CollectionItem } from '#fairway/shared/collections/collection-page'
import type { CatalogTool, SearchableCollection } from '#fairway/shared/schemas/tool-catalog'
import { type Hit, openRowOf, searchCollection, toHit } from '../palette/collection-search'
import { addRecent, readRecents, type Recent } from '../palette/recents'
import { sendJson } from '../request/send-json'
import { offeredOf } from '../shortcuts/page-keys'
import { type InitialRow, toFields } from '../tools/action-form'

const PAUSE_IN_MS = 180
const LEAST_CHARACTERS = 2

/** The entries that this user recently opened from the palette, with a function to add one. */
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

/** The sections of the platform's own pages, with their addresses and the names of their pages. */
function usePlacesOfSections() {
  const { t } = useI18n()
  const { session } = useSession()
  const areas = [
    { page: 'settings', sections: useSettingsSections() },
    { page: 'team', sections: useOrganizationSections().sections },
    { page: 'operator', sections: useOperatorSections() },
  ]
  return computed(() =>
    areas
      .filter(({ page }) => page !== 'operator' || session.value?.isOperator)
      .flatMap(({ page, sections }) =>
        sections.value.map((section, index) => ({
          page: t(`pages.${page}`),
          label: section.label,
          keywords: section.lead,
          icon: section.icon,
          to: pathOfSection(`/${page}`, section, index),
        })),
      ),
  )
}

/** The static entries of the palette: pages and their sections, actions, and recent entries. */
export function usePaletteEntries(tools: () => readonly CatalogTool[]) {
  const router = useRouter()
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
  const places = usePlacesOfSections()
  const sections = computed<CommandPaletteItem[]>(() =>
    places.value
      .filter(({ to }) => isThere(to))
      .map(({ page, to, ...section }) => ({ ...section, prefix: `${page}:`, to, onSelect: toPage(to) })),
  )
  const actions = computed<CommandPaletteItem[]>(() =>
    tools()
      .filter(({ http }) => http)
      .map(tool => ({
        label: titleOf(tool),
        name: tool.name,
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

/**
 * The row whose page is open, and the actions that change it. The forms of those begin with the row `initialRow`. A searchable
 * collection says which page belongs to which row.
 */
export function usePaletteRow(tools: () => readonly CatalogTool[], collections: () => readonly SearchableCollection[]) {
  const { currentRoute } = useRouter()
  const { titleOf } = useToolTexts()
  const { isOpen, actionName } = usePalette()
  const initialRow = shallowRef<InitialRow>()
  const place = computed(() => (isOpen.value ? openRowOf(collections(), currentRoute.value.path) : undefined))
  const { result: row, attempt: load } = useRequest(
    async ({ collection, id }: NonNullable<ReturnType<typeof openRowOf>>) => {
      const item = await sendJson(`${collection.path}/${encodeURIComponent(id)}`)
      return { collection, id, title: toHit(collection, item as CollectionItem).title }
    },
  )
  const isRow = computed(() => place.value !== undefined && row.value?.id === place.value.id)

  const actionsOfRow = computed<CommandPaletteItem[]>(() =>
    tools()
      .filter(({ http, readOnly }) => http && !readOnly)
      .flatMap(tool => {
        const field = toFields(tool.inputSchema).find(
          ({ pick, isRequired }) =>
            isRequired && pick?.field === 'id' && pick.collection === row.value?.collection.name,
        )
        if (!field || !isRow.value) return []
        const { id: value = '', title = '' } = row.value ?? {}
        return {
          label: titleOf(tool),
          icon: tool.destructive ? 'i-lucide-triangle-alert' : 'i-lucide-play',
          onSelect: () => {
            actionName.value = tool.name
            initialRow.value = { field: field.name, value, title }
          },
        }
      }),
  )

  watch(place, openRow => void (openRow && load(openRow)))
  watch(actionName, name => {
    if (name === undefined) initialRow.value = undefined
  })

  return { row, initialRow, actionsOfRow }
}

/** The commands of the palette: those of this page, theme, language, shortcuts, sign-out. */
export function usePaletteCommands() {
  const { t } = useI18n()
  const { isOpen } = usePalette()
  const { registered, list } = useShortcutState()
  const { language, languages, choose } = useLanguage()
  const colorMode = useColorMode()
  const failed = useFailureToast()
  const leave = useSignOut()

  const run = (act: () => unknown) => () => {
    isOpen.value = false
    void act()
  }
  const themes = ['light', 'dark', 'system']

  const commands = computed<CommandPaletteItem[]>(() => [
    ...offeredOf(registered.value).map(({ keys, label, act }) => ({
      label: toValue(label),
      icon: 'i-lucide-plus',
      keys,
      onSelect: run(act),
    })),
    ...themes
      .filter(value => value !== colorMode.preference)
      .map(value => ({
        label: t(`palette.theme.${value}`),
        icon: 'i-lucide-monitor',
        onSelect: run(() => {
          colorMode.preference = value
        }),
      })),
    ...languages
      .filter(({ code }) => code !== language.value)
      .map(({ code, name }) => ({
        label: t('palette.language', { name }),
        icon: 'i-lucide-settings',
        onSelect: run(() => choose(code).catch((thrown: unknown) => failed(t('language.failed'), thrown))),
      })),
    {
      label: t('palette.shortcuts'),
      icon: 'i-lucide-info',
      keys: ['?'],
      onSelect: run(() => {
        list.value = true
      }),
    },
    { label: t('account.signOut'), icon: 'i-lucide-log-out', onSelect: run(leave) },
  ])

  return { commands }
}

/** The results of one collection. */
interface Found {
  collection: SearchableCollection
  hits: Hit[]
}

/** Searches every searchable collection after a short delay. A newer text aborts the older requests. */
export function usePaletteSearch(text: Ref<string>, collections: () => readonly SearchableCollection[]) {
  const entries = shallowRef<Found[]>([])
  const pending = ref(false)
  let running: AbortController | undefined

  const isLongEnough = () => text.value.trim().length >= LEAST_CHARACTERS

  async function search(): Promise<void> {
    running?.abort()
    const { signal } = (running = new AbortController())
    const query = text.value.trim()
    if (!isLongEnough()) return void (entries.value = [])
    pending.value = true
    const answers = await Promise.all(
      // A failed or forbidden collection does not affect the results of the others.
      collections().map(async collection => ({
        collection,
        hits: await searchCollection(collection, query, { signal }).catch(() => []),
      })),
    )
    if (signal.aborted) return
    entries.value = answers.filter(({ hits }) => hits.length > 0)
    pending.value = false
  }

  // Until the request has been sent, the palette must not report that there are no results.
  watch(text, () => {
    pending.value = isLongEnough() && collections().length > 0
  })
  watchDebounced([text, collections], search, { debounce: PAUSE_IN_MS })
  onScopeDispose(() => running?.abort())

  return { found: entries, pending }
}
