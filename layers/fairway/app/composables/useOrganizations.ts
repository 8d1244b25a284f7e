import type { JoinedOrganization, OrganizationOverview } from '#fairway/shared/schemas/organization'
import { callOperation } from '../request/operations'

/** The user's organizations and pending invitations, shared by the whole page. `useOrganizationChanges` changes them. */
export function useOrganizations() {
  const { session } = useSession()
  const key = session.value?.userId ?? ''
  const overview = useState<OrganizationOverview | undefined>(`organizations-${key}`)
  const requestCount = useState(`organizations-asked-${key}`, () => 0)

  const { attempt: refresh, error } = useRequest(async () => {
    const mine = ++requestCount.value
    const answer = await callOperation('get-organizations')
    if (mine === requestCount.value) overview.value = answer
  })

  /** Whether work without an organization is offered: to people without one, and where theirs is closed to the session. */
  const hasPersonal = computed(
    () => overview.value !== undefined && (overview.value.orgs.length === 0 || Boolean(session.value?.closedOrg)),
  )

  return { overview, hasPersonal, error, refresh }
}

/** The organizations that the user can join, by invitation or by domain. */
export const joinableOf = ({ invitations, domainMatches }: OrganizationOverview) => [
  ...invitations.map(invitation => ({ id: invitation.id, name: invitation.orgName, invitation })),
  ...domainMatches.map(match => ({ ...match, invitation: undefined })),
]

export interface Place {
  id: string
  name: string
  slug?: string | null
}

export interface SwitchQuestion {
  from?: Place | null
  to?: Place | null
  orphanedCredentials: { key: string }[]
}

/** The question whether to switch as well, for a user who joins another organization. */
export interface JoinQuestion {
  /** The organization to join. */
  name: string
  /** Joins it, and switches to it when confirmed. */
  join: (confirm: boolean) => Promise<JoinedOrganization>
  /** Reports the result in place of a toast. */
  joined?: (answer: JoinedOrganization) => void
}

/** The organization dialogs that can be opened from anywhere. */
export function useOrganizationDialogs() {
  const isCreating = useState('organization-creating', () => false)
  const isFinding = useState('organization-finding', () => false)
  const joining = useState<JoinQuestion | undefined>('organization-joining', () => undefined)
  const question = useState<SwitchQuestion | undefined>('organization-switch', () => undefined)

  return {
    /** Whether any of them is open. */
    isOneOpen: computed(() => isCreating.value || isFinding.value || Boolean(joining.value ?? question.value)),
    isCreating,
    isFinding,
    joining,
    question,
    create: () => {
      isCreating.value = true
    },
    find: () => {
      isFinding.value = true
    },
  }
}
