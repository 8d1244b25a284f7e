import { ORG_PATH } from '#shared/paths'
import type { OrgRole } from '#shared/roles'
import type { MemberPage, OrganizationMember } from '#shared/schemas/organization'
import { sendJson } from '../request/send-json'

export const MEMBERS_PER_PAGE = 30

/** One page of the members of the active organization, searched, and how to change them. */
export function useMembers(query: Ref<string>) {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { refresh } = useOrganizations()

  const { run, result, pending, error } = useRequest(async (question: { search: string; page: number }) => {
    const parameters = new URLSearchParams({
      page: String(question.page),
      itemsPerPage: String(MEMBERS_PER_PAGE),
      search: question.search,
    })
    const answer = (await sendJson(`${ORG_PATH}/members?${parameters.toString()}`)) as MemberPage
    return { ...answer, ...question }
  })
  const page = computed(() => result.value?.page ?? 1)

  async function load(next = page.value): Promise<void> {
    await run({ search: query.value.trim(), page: next }).catch(() => undefined)
    // The last one of the last page may have gone.
    if (result.value?.members.length === 0 && page.value > 1 && !error.value) await load(page.value - 1)
  }

  const memberPath = ({ email }: OrganizationMember) => `${ORG_PATH}/members/${encodeURIComponent(email)}`

  async function setRole(member: OrganizationMember, role: OrgRole): Promise<void> {
    const named = { name: member.name, role: t(`team.roles.${role}`) }
    try {
      await sendJson(memberPath(member), { method: 'PATCH', body: { role } })
      toast.add({ title: t('team.members.changed', named), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('team.members.notChanged', named), thrown, () => setRole(member, role))
    }
    await load()
  }

  /** Throws ActionFailure, so that the dialog stays open and says why. */
  async function remove(member: OrganizationMember): Promise<void> {
    await sendJson(memberPath(member), { method: 'DELETE' })
    toast.add({ title: t('team.members.removed', { name: member.name }), icon: 'i-lucide-check' })
    await Promise.all([load(), refresh()])
  }

  watchDebounced(query, () => load(1))

  return { result, page, pending, error, load, setRole, remove }
}
