/** Signs out; where the server does not confirm it, a toast says so and offers to try again. */
export function useSignOut() {
  const { t } = useI18n()
  const { signOut } = useSession()
  const failed = useFailureToast()

  return async function leave(): Promise<void> {
    await signOut().catch((thrown: unknown) => failed(t('account.signOutFailed'), thrown, leave))
  }
}
