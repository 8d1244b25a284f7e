import { sendJson } from '../request/send-json'

const ITEMS_PER_PAGE = 30

/** One page of records of the server, filtered by text fields; filters and page stand in the address. */
export function useRecordPage<Answer extends { totalItems: number }>(base: string, filterNames: readonly string[]) {
  const route = useRoute()
  const router = useRouter()
  const { run, result, pending, error } = useRequest(
    async (query: string) => (await sendJson(`${base}?${query}`)) as Answer,
  )
  const page = computed(() => Math.max(1, Number(route.query.page) || 1))
  const filters = computed(() =>
    Object.fromEntries(
      filterNames.flatMap(name => {
        const value = route.query[name]
        return typeof value === 'string' && value !== '' ? [[name, value]] : []
      }),
    ),
  )
  const query = computed(() =>
    new URLSearchParams({
      ...filters.value,
      page: String(page.value),
      itemsPerPage: String(ITEMS_PER_PAGE),
    }).toString(),
  )
  const lastPage = computed(() => Math.max(1, Math.ceil((result.value?.totalItems ?? 0) / ITEMS_PER_PAGE)))

  const load = () => run(query.value).catch(() => undefined)
  const exportPath = (format: 'csv' | 'jsonl'): string =>
    `${base}/export?${new URLSearchParams({ ...filters.value, format })}`

  async function filter(changes: Record<string, string | undefined>): Promise<void> {
    const merged = { ...filters.value, ...changes }
    await router.replace({ query: Object.fromEntries(Object.entries(merged).filter(([, value]) => value)) })
  }
  const turn = (to: number) => router.push({ query: { ...filters.value, page: String(to) } })

  watch(query, load)
  onMounted(load)
  return { result, pending, error, page, lastPage, filters, load, filter, turn, exportPath }
}
