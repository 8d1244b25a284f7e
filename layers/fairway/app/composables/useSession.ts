import { LOCAL_DATA_MARK } from '#fairway/shared/device'
import { forgetDrafts } from '../session/forget-drafts'
import { sendSignedOut } from '../session/session-signal'
import { RECENTS_SETTING, writeDeviceSetting } from '../utils/device-setting'

/** The session of this browser: its state, the signed-in user's data, and sign-out. */
export function useSession() {
  const { $session } = useNuxtApp()
  const session = computed(() =>
    $session.state.value.status === 'signed-in' ? $session.state.value.session : undefined,
  )

  /** The active organization, which may be closed to this session, or none. */
  const organization = computed(() => {
    const { orgId, orgName, closedOrg } = session.value ?? {}
    return orgId ? { id: orgId, name: orgName ?? '' } : closedOrg
  })

  /** Signs out here and in every other tab. Throws ActionFailure if the server did not confirm it. */
  async function signOut(): Promise<void> {
    await $session.signOut()
    forgetDrafts(sessionStorage)
    writeDeviceSetting(RECENTS_SETTING, null)
    sendSignedOut()
  }

  return { state: $session.state, session, organization, check: $session.check, signOut }
}

/** Whether this server offers the move of local data and the user is signed in to a real account. */
export function useMayMoveLocalData() {
  const { session } = useSession()
  return computed(
    () =>
      session.value !== undefined &&
      session.value.provider !== 'dev' &&
      session.value.provider !== 'auth-disabled' &&
      document.querySelector(`meta[name="${LOCAL_DATA_MARK}"]`) !== null,
  )
}
