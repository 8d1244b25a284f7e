import { ORG_ROLES, type OrgRole } from '#fairway/shared/roles'
import type { OrganizationMember } from '#fairway/shared/schemas/organization'
import { callOperation, operationPath } from '../request/operations'

/** The members of the active organization with search, filters, sorting and paging, and a function to change a role. */
export function useMembers() {
  const { t } = useI18n()
  const { refresh: refreshOverview } = useOrganizations()
  const list = useCollection('team-members', {
    prefix: 'members-',
    filters: ['name', 'role'],
    refreshAfter: ['change-member-role'],
  })
  const change = useToldChange(list.refresh)
  const query = useListSearch(list, 'name')

  /** The export of the shown rows. */
  const exportPath = computed(() => {
    const { name, role } = list.filters.value
    const search = name ? String(name) : undefined
    return operationPath('export-members', { search, role: ORG_ROLES.find(each => each === role) })
  })

  const setRole = (member: OrganizationMember, role: OrgRole): Promise<void> => {
    const named = { name: member.name, role: t(`team.roles.${role}`) }
    const undo = { label: t('team.undo'), onClick: () => void setRole({ ...member, role }, member.role) }
    return change({
      run: () => callOperation('change-member-role', { email: member.email, role }),
      done: () => ({ title: t('team.members.changed', named), actions: [undo] }),
      failed: t('team.members.notChanged', named),
    })
  }

  /** Reloads the list and the member count after a removal. */
  const refresh = () => Promise.all([list.refresh(), refreshOverview()])

  return { list, query, exportPath, setRole, refresh }
}

/** The roles that this application declares and their members. `set` assigns one and throws ActionFailure. */
export function useAppRoles() {
  const { attempt: load, result, error } = useOperation('list-app-roles')
  async function set(email: string, role: string | null): Promise<void> {
    await callOperation('assign-app-role', { email, role })
    await load()
  }
  /** The application declares no roles, so there is nothing to show. */
  const isAbsent = computed(() => error.value?.code === 'unknown-app')

  return { roles: result, error, isAbsent, load, set }
}
