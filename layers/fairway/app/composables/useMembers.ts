import { ORG_PATH } from '#fairway/shared/paths'
import type { OrgRole } from '#fairway/shared/roles'
import type { OrganizationMember } from '#fairway/shared/schemas/organization'
import { sendJson } from '../request/send-json'

/** The members of the active organization, searched and paged, and how to change them. */
export function useMembers() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { refresh } = useOrganizations()
  const list = useCollection('team-members', {
    prefix: 'members-',
    filters: ['name'],
    refreshAfter: ['change-member-role'],
  })
  const query = useListSearch(list, 'name')

  const memberPath = ({ email }: OrganizationMember) => `${ORG_PATH}/members/${encodeURIComponent(email)}`

  async function setRole(member: OrganizationMember, role: OrgRole): Promise<void> {
    const named = { name: member.name, role: t(`team.roles.${role}`) }
    try {
      await sendJson(memberPath(member), { method: 'PATCH', body: { role } })
      toast.add({ title: t('team.members.changed', named), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('team.members.notChanged', named), thrown, () => setRole(member, role))
    }
    await list.refresh()
  }

  /** Throws ActionFailure, so that the dialog stays open and says why. */
  async function remove(member: OrganizationMember): Promise<void> {
    await sendJson(memberPath(member), { method: 'DELETE' })
    toast.add({ title: t('team.members.removed', { name: member.name }), icon: 'i-lucide-check' })
    await Promise.all([list.refresh(), refresh()])
  }

  return { list, query, setRole, remove }
}
