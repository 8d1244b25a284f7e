import type { OrganizationEntry } from '#fairway/shared/schemas/organization'
import { toSwitchQuestion } from '../organizations/organization-question'
import { toActionFailure } from '../request/call-action'

/** Switches the active organization; asks first when the server wants it. */
export function useOrganizationSwitch() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { question } = useOrganizationDialogs()
  const { switchTo } = useOrganizationChanges()

  return async function change(to: Pick<OrganizationEntry, 'id' | 'name'> | null): Promise<void> {
    const name = to?.name ?? t('frame.personal')
    try {
      await switchTo(to?.id ?? null)
      toast.add({ title: t('org.switched', { name }), icon: 'i-lucide-check' })
    } catch (thrown) {
      const failure = toActionFailure(thrown)
      question.value = toSwitchQuestion(failure)
      if (!question.value) failed(t('org.notSwitched', { name }), failure, () => change(to))
    }
  }
}
