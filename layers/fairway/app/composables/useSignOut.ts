/** Signs out. If the server does not confirm it, a toast offers a retry. */
export function useSignOut() {
  const { t } = useI18n()
  const { signOut } = useSession()
  const failed = useFailureToast()

  return async function leave(): Promise<void> {
    await signOut().catch((thrown: unknown) => failed(t('account.signOutFailed'), thrown, leave))
  }
}
