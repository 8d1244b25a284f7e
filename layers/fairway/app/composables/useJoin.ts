import type { JoinedOrganization } from '#fairway/shared/schemas/organization'
import type { JoinQuestion } from '../organizations/organization-question'

/** Joining an organization: whoever is in one already is asked first whether to switch as well. */
export function useJoin() {
  const { t } = useI18n()
  const toast = useToast()
  const { overview } = useOrganizations()
  const { joining } = useOrganizationDialogs()

  /** Joins at once or opens the question; throws ActionFailure. */
  async function begin(question: JoinQuestion): Promise<void> {
    if (overview.value?.orgs.length) joining.value = question
    else finish(question, await question.join(false))
  }

  /** Tells where the person works now. */
  function finish({ joined: tell }: JoinQuestion, answer: JoinedOrganization): void {
    if (tell) return tell(answer)
    const { joined, active } = answer
    const isHere = joined.id === active?.id
    toast.add({
      title: t('invitations.accepted', { name: joined.name }),
      description: isHere ? undefined : t('invitations.stayed', { name: active?.name ?? t('frame.personal') }),
      icon: 'i-lucide-check',
    })
  }

  return { begin, finish }
}
