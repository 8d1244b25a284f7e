import { ActionFailure } from '../request/action-failure'

/** Changes that need a sign-in of a moment ago: `change` gives false where it is too long ago, and `needsSignIn` says so from then on. */
export function useRecentSignIn() {
  const needsSignIn = ref(false)

  async function change(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (thrown) {
      if (!(thrown instanceof ActionFailure) || thrown.code !== 'fresh-session-required') throw thrown
      needsSignIn.value = true
      return false
    }
  }

  return { needsSignIn: readonly(needsSignIn), change }
}
