import { ORG_PATH } from '#fairway/shared/paths'
import type { OrganizationOverview } from '#fairway/shared/schemas/organization'
import { sendJson } from '../request/send-json'

/** My organizations and what waits for me, shared by the whole page; `useOrganizationChanges` changes them. */
export function useOrganizations() {
  const { session } = useSession()
  const key = session.value?.userId ?? ''
  const overview = useState<OrganizationOverview | undefined>(`organizations-${key}`)
  const asked = useState(`organizations-asked-${key}`, () => 0)

  const { run, error } = useRequest(async () => {
    const mine = ++asked.value
    const answer = (await sendJson(ORG_PATH)) as OrganizationOverview
    if (mine === asked.value) overview.value = answer
  })

  return { overview, error, refresh: () => run(undefined).catch(() => undefined) }
}
