import type { CommandPaletteItem } from '@nuxt/ui'

/** What the palette can do at once: what this page has registered, theme, language, shortcuts, signing out. */
export function usePaletteCommands() {
  const { t } = useI18n()
  const { isOpen } = usePalette()
  const { registered, list } = useShortcutState()
  const { language, languages, choose } = useLanguage()
  const colorMode = useColorMode()
  const failed = useFailureToast()
  const leave = useSignOut()

  const run = (act: () => unknown) => () => {
    isOpen.value = false
    void act()
  }
  const themes = ['light', 'dark', 'system']

  const commands = computed<CommandPaletteItem[]>(() => [
    ...registered.value.map(({ keys, label, act }) => ({
      label: toValue(label),
      icon: 'i-lucide-plus',
      keys,
      onSelect: run(act),
    })),
    ...themes
      .filter(value => value !== colorMode.preference)
      .map(value => ({
        label: t(`palette.theme.${value}`),
        icon: 'i-lucide-monitor',
        onSelect: run(() => {
          colorMode.preference = value
        }),
      })),
    ...languages
      .filter(({ code }) => code !== language.value)
      .map(({ code, name }) => ({
        label: t('palette.language', { name }),
        icon: 'i-lucide-settings',
        onSelect: run(() => choose(code).catch((thrown: unknown) => failed(t('language.failed'), thrown))),
      })),
    {
      label: t('palette.shortcuts'),
      icon: 'i-lucide-info',
      keys: ['?'],
      onSelect: run(() => {
        list.value = true
      }),
    },
    { label: t('account.signOut'), icon: 'i-lucide-log-out', onSelect: run(leave) },
  ])

  return { commands }
}
