import { forgetDrafts } from '../session/draft'
import { createSessionSignal } from '../session/session-signal'

/** Keeps the session state true while the calling component is mounted: other tabs, coming back to this one, the back button. */
export function useSessionWatch(): void {
  const { $session } = useNuxtApp()
  let stop: (() => void) | undefined

  const onReturn = () => {
    if (!document.hidden) void $session.recheck()
  }

  onMounted(() => {
    const stopListening = createSessionSignal(window).onSignedOut(() => {
      forgetDrafts(sessionStorage)
      $session.acceptSignOut()
    })
    window.addEventListener('focus', onReturn)
    document.addEventListener('visibilitychange', onReturn)
    stop = () => {
      stopListening()
      window.removeEventListener('focus', onReturn)
      document.removeEventListener('visibilitychange', onReturn)
    }
  })
  onBeforeUnmount(() => stop?.())
}
