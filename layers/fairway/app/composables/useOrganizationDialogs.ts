import type { JoinQuestion, SwitchQuestion } from '../organizations/organization-question'

/** The dialogs about organizations that can be opened from anywhere. */
export function useOrganizationDialogs() {
  const isCreating = useState('organization-creating', () => false)
  const isFinding = useState('organization-finding', () => false)
  const joining = useState<JoinQuestion | undefined>('organization-joining', () => undefined)
  const question = useState<SwitchQuestion | undefined>('organization-switch', () => undefined)

  return {
    /** Whether any of them is. */
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
