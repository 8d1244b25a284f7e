import type { CommandPaletteItem } from '@nuxt/ui'
import { watchDebounced } from '@vueuse/core'
import type { OrgRole } from '#fairway/shared/roles'
import type { CatalogTool, SearchableCollection } from '#fairway/shared/schemas/tool-catalog'
import { type Hit, searchCollection } from '../palette/collection-search'
import { addRecent, readRecents, type Recent } from '../palette/recents'
import { offeredOf } from '../shortcuts/page-keys'

const PAUSE_IN_MS = 180
const LEAST_CHARACTERS = 2

/** A section of a page with a separate address. */
interface PaletteSection {
  to: string
  /** The final part of the key of its text. */
  text: string
  icon: string
  /** The text of the page that it belongs to. */
  page: 'settings' | 'team'
  roles?: readonly OrgRole[]
}

const MANAGERS = ['owner', 'admin'] as const

/** The sections of the platform's own pages. The palette omits those whose page this application does not have. */
const SECTIONS: readonly PaletteSection[] = [
  { to: '/settings/security', text: 'security', icon: 'i-lucide-shield-check', page: 'settings' },
  { to: '/settings/apps', text: 'apps', icon: 'i-lucide-arrow-right-left', page: 'settings' },
  { to: '/settings/appearance', text: 'appearance', icon: 'i-lucide-monitor', page: 'settings' },
  { to: '/settings/data', text: 'data', icon: 'i-lucide-archive', page: 'settings' },
  { to: '/team/invitations', text: 'invitations', icon: 'i-lucide-mail', page: 'team', roles: MANAGERS },
  { to: '/team/sign-in', text: 'signIn', icon: 'i-lucide-key-round', page: 'team', roles: MANAGERS },
  { to: '/team/roles', text: 'roles', icon: 'i-lucide-users', page: 'team', roles: MANAGERS },
  { to: '/team/vault', text: 'vault', icon: 'i-lucide-lock', page: 'team', roles: MANAGERS },
  { to: '/team/apps', text: 'orgApps', icon: 'i-lucide-arrow-right-left', page: 'team', roles: MANAGERS },
  { to: '/team/danger', text: 'danger', icon: 'i-lucide-triangle-alert', page: 'team' },
]

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

/** The static entries of the palette: pages and their sections, actions, and recent entries. */
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
