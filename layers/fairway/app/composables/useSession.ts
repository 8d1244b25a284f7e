import { forgetDrafts } from '../session/draft'
import { createSessionSignal } from '../session/session-signal'
import { RECENTS_SETTING, writeDeviceSetting } from '../utils/device-setting'

/** The session of this browser: its state, the signed-in fact when there is one, and how to end it. */
export function useSession() {
  const { $session } = useNuxtApp()
  const session = computed(() =>
    $session.state.value.status === 'signed-in' ? $session.state.value.session : undefined,
  )

  /** Where this person works: an organization, which may be closed to this session, or none. */
  const organization = computed(() => {
    const { orgId, orgName, closedOrg } = session.value ?? {}
    return orgId ? { id: orgId, name: orgName ?? '' } : closedOrg
  })

  /** Signs out here and in every other tab; throws ActionFailure when the server did not confirm it. */
  async function signOut(): Promise<void> {
    await $session.signOut()
    forgetDrafts(sessionStorage)
    writeDeviceSetting(RECENTS_SETTING, null)
    createSessionSignal(window).sendSignedOut()
  }

  return { state: $session.state, session, organization, check: $session.check, signOut }
}
