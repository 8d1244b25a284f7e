import { mayInOrg, type OrgPermission } from '#fairway/shared/roles'
import type { PageSection } from '../components/layout/SectionedPage.vue'

/** The sections of an organization in order, with the required permission of each. */
const SECTIONS: readonly { id: string; icon: string; needs?: OrgPermission; to?: string; isOfPlans?: true }[] = [
  { id: 'members', icon: 'i-lucide-users' },
  { id: 'invitations', icon: 'i-lucide-mail', needs: 'list-invitations' },
  { id: 'teams', icon: 'i-lucide-users-round' },
  { id: 'roles', icon: 'i-lucide-shield-check' },
  { id: 'sign-in', icon: 'i-lucide-key-round', needs: 'set-auth-provider' },
  { id: 'single-sign-on', icon: 'i-lucide-building-2', needs: 'set-auth-provider' },
  { id: 'vault', icon: 'i-lucide-lock', needs: 'manage-credentials' },
  { id: 'apps', icon: 'i-lucide-arrow-right-left', needs: 'list-grants' },
  { id: 'webhooks', icon: 'i-lucide-waypoints', needs: 'manage-webhooks' },
  { id: 'audit', icon: 'i-lucide-scroll-text', needs: 'read-audit-log', to: '/audit' },
  { id: 'plan', icon: 'i-lucide-gauge', isOfPlans: true },
  { id: 'general', icon: 'i-lucide-settings' },
  { id: 'danger', icon: 'i-lucide-triangle-alert' },
]

/** Whether an organization has a section of this name on a separate page; there is none for plans where there are no plans. */
export const isOrganizationSection = (id: string, hasPlans: boolean): boolean =>
  SECTIONS.some(each => each.id === id && !each.to && (!each.isOfPlans || hasPlans))

/**
 * The sections of the active organization that the user's role may use, none without an organization. Also returns whether a
 * given section is allowed.
 */
export function useOrganizationSections() {
  const { t } = useI18n()
  const { session } = useSession()
  const { hasPlans } = useAppConfig()
  const isOpen = ({ needs, isOfPlans }: (typeof SECTIONS)[number]): boolean =>
    (!needs || mayInOrg(session.value?.orgRole, needs)) && (!isOfPlans || hasPlans)
  const sections = computed((): PageSection[] =>
    (session.value?.orgId ? SECTIONS : []).filter(isOpen).map(({ id, icon, to }) => ({
      id,
      icon,
      to,
      label: t(`team.sections.${id}`),
      lead: to ? undefined : t(`team.leads.${id}`),
    })),
  )
  return {
    sections,
    isOpenSection: (id: string): boolean => sections.value.some(each => each.id === id),
  }
}

/** The settings of the shown organization; undefined while they load, or during a switch. */
export function useActiveOrganization() {
  const { session } = useSession()
  const { overview, error, refresh } = useOrganizations()
  const active = computed(() =>
    overview.value?.active?.id === session.value?.orgId ? (overview.value?.active ?? undefined) : undefined,
  )
  onMounted(() => {
    if (!active.value) void refresh()
  })
  return { active, error, refresh }
}
