import { ActionFailure } from '../request/action-failure'

/**
 * Runs changes that require a recent sign-in. `change` returns false when the work returns false or the sign-in is too old. Then
 * `needsSignIn` is true until the user has signed in again in another tab.
 */
export function useRecentSignIn() {
  const { session } = useSession()
  const needsSignIn = ref(false)
  watch(
    () => session.value?.createdAt,
    () => (needsSignIn.value = false),
  )

  async function change(work: () => Promise<unknown>): Promise<boolean> {
    try {
      return (await work()) !== false
    } catch (thrown) {
      if (!(thrown instanceof ActionFailure) || thrown.code !== 'fresh-session-required') throw thrown
      needsSignIn.value = true
      return false
    }
  }

  return { needsSignIn: readonly(needsSignIn), change }
}
