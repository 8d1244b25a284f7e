/** A menu whose code is fetched when somebody turns to its button: `menu` is empty until it was opened once. */
export function useLazyMenu(load: () => Promise<{ default: Component }>) {
  const { t } = useI18n()
  const failed = useFailureToast()
  const menu = shallowRef<Component>()

  async function open(): Promise<void> {
    try {
      menu.value = (await load()).default
    } catch (thrown) {
      failed(t('frame.menuFailed'), thrown, open)
    }
  }

  return { menu, open, preload: () => void load().catch(() => undefined) }
}
