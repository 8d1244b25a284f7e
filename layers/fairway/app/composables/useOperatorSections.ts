import texts from '#build/texts/operator'
import type { PageSection } from '../components/layout/SectionedPage.vue'

const SECTIONS = [
  { id: 'people', icon: 'i-lucide-users' },
  { id: 'organizations', icon: 'i-lucide-building-2' },
  { id: 'jobs', icon: 'i-lucide-list-checks' },
  { id: 'mails', icon: 'i-lucide-mail' },
  { id: 'deliveries', icon: 'i-lucide-send' },
  { id: 'health', icon: 'i-lucide-heart-pulse' },
  { id: 'settings', icon: 'i-lucide-settings' },
]

/** The sections of the console at /operator: its own, then the pages that declare `navigation: { area: 'operator' }`. */
export function useOperatorSections() {
  useTexts(texts)
  const { t } = useI18n()
  const { operator } = useNavigation()
  return computed((): PageSection[] => [
    ...SECTIONS.map(each => ({
      ...each,
      label: t(`operator.sections.${each.id}`),
      lead: t(`operator.${each.id}.text`),
    })),
    ...operator.value.map(({ to, icon, label }) => ({ id: to, icon, label, to })),
  ])
}
