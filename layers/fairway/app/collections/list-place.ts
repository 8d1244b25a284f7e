interface Place {
  /** The address of the page that was left. */
  address: string
  rows: number
  top: number
}

/** Where a list was left: how many rows it had, and how far the page was scrolled. Whoever comes back, by the history or from a page below, finds it there. */
export function useListPlace(key: string, shownRows: () => number) {
  const router = useRouter()
  const route = useRoute()
  const places = useState<Record<string, Place | undefined>>('fairway-list-places', () => ({}))
  const kept = places.value[key]

  const stop = router.beforeEach((to, from) => {
    if (to.path !== from.path)
      places.value = { ...places.value, [key]: { address: from.fullPath, rows: shownRows(), top: window.scrollY } }
  })
  onScopeDispose(stop)

  /** Asks for the rows that were there, and scrolls to where the page was once they are. */
  async function returnTo(ask: (rows: number) => Promise<void>): Promise<void> {
    if (!kept || kept.address !== route.fullPath || !comesBack(route.path, router.options.history.state)) return ask(0)
    await ask(kept.rows)
    await nextTick()
    if (kept.top > window.scrollY) window.scrollTo({ top: kept.top })
  }

  return { returnTo }
}

/** Whether the history says so: there is a page to go forward to, or the one before lies below this one. */
export const comesBack = (path: string, { back, forward }: { back?: unknown; forward?: unknown }): boolean =>
  Boolean(forward) || String(back).startsWith(`${path.replace(/\/$/, '')}/`)
