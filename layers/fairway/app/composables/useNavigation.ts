/** One page of the navigation, as the sidebar and the palette show it. */
export interface NavigationEntry {
  to: string
  icon: string
  label: string
  /** The heading of its group. */
  group?: string
  /** The key that opens the page after `g`. */
  shortcut?: string
}

/** The entries of the sidebar and of the palette, in order, as the pages declare them (`definePageMeta({ navigation })`). */
export function useNavigation() {
  const { t } = useI18n()
  const { session } = useSession()
  const declared = useRouter()
    .getRoutes()
    .flatMap(({ path, meta }) =>
      meta.navigation ? [{ to: path.replace(/\/:\w+(?:\([\w|-]+\))?\?$/, ''), ...meta.navigation }] : [],
    )
    .toSorted((a, b) => (a.order ?? 50) - (b.order ?? 50) || (a.to < b.to ? -1 : 1))
  const isOpen = ({ roles, operators, area }: (typeof declared)[number]): boolean => {
    if ((operators || area) && !session.value?.isOperator) return false
    const role = session.value?.orgRole
    return !roles || (role ? roles.includes(role) : false)
  }
  const shown = (entries: typeof declared): NavigationEntry[] =>
    entries
      .filter(isOpen)
      .map(({ to, icon, text, group, shortcut }) => ({ to, icon, label: t(text), group: group && t(group), shortcut }))
  return {
    sidebar: computed(() => shown(declared.filter(({ sidebar, area }) => sidebar !== false && !area))),
    /** The pages of the console at /operator besides its own sections. */
    operator: computed(() => shown(declared.filter(({ area }) => area === 'operator'))),
    palette: computed(() => shown(declared)),
  }
}
