import type { SwitchQuestion } from '../organizations/organization-question'

/** The dialogs about organizations that can be opened from anywhere. */
export function useOrganizationDialogs() {
  const isCreating = useState('organization-creating', () => false)
  const isFinding = useState('organization-finding', () => false)
  const question = useState<SwitchQuestion | undefined>('organization-switch', () => undefined)

  return {
    isCreating,
    isFinding,
    question,
    create: () => {
      isCreating.value = true
    },
    find: () => {
      isFinding.value = true
    },
  }
}
