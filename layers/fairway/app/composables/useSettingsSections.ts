import texts from '#build/texts/settings'
import type { PageSection } from '../components/layout/SectionedPage.vue'

const SECTIONS = [
  { id: 'profile', icon: 'i-lucide-user' },
  { id: 'security', icon: 'i-lucide-shield-check' },
  { id: 'apps', icon: 'i-lucide-arrow-right-left' },
  { id: 'appearance', icon: 'i-lucide-sun-moon' },
  { id: 'data', icon: 'i-lucide-database' },
  { id: 'desktop', icon: 'i-lucide-monitor' },
]

/** The sections of a person's settings. That of the desktop program is inside of it only. */
export function useSettingsSections() {
  useTexts(texts)
  const { t } = useI18n()
  const isInDesktop = 'fairwayDesktop' in globalThis
  return computed((): PageSection[] =>
    SECTIONS.filter(({ id }) => id !== 'desktop' || isInDesktop).map(each => ({
      ...each,
      label: t(`settings.sections.${each.id}`),
      lead: t(`settings.leads.${each.id}`),
    })),
  )
}
