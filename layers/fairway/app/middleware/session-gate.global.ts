import { ORG_PAGES_PREFIX } from '#fairway/shared/paths'
import { addressOf } from '../session/page-org'
import { isPrivateRoute, signInPath, termsPath } from '../utils/sign-in-path'

/**
 * Opens private pages, regardless of layout, only for signed-in users. Redirects all others to the sign-in page before anything
 * is mounted.
 */
export default defineNuxtRouteMiddleware(async (to, from) => {
  if (import.meta.server || !isPrivateRoute(to)) return
  if (to.path.startsWith(`${ORG_PAGES_PREFIX}/`)) {
    // The organization of a document does not change: a link to a page in one opens a new document.
    window.location.assign(to.fullPath)
    return false
  }
  const { $session, isHydrating } = useNuxtApp()
  const status = () => $session.state.value.status
  // components/SessionGate.vue keeps the state current while a private page is open.
  if (status() === 'signed-in' && isPrivateRoute(from)) return
  await $session.recheck()
  const { value } = $session.state
  if (value.status === 'signed-in' && value.session.termsDue) {
    window.location.replace(termsPath(addressOf(to.fullPath)))
    return new Promise(() => {})
  }
  // All visitors may see that a page does not exist.
  if (status() !== 'signed-out' || to.matched.length === 0) return
  const path = signInPath(new URL(addressOf(to.fullPath), window.location.origin))
  if (!isHydrating) {
    window.location.assign(path)
    return false
  }
  // On the first load, the app waits for this promise. Nothing is mounted, and the page leaves no history entry.
  window.location.replace(path)
  return new Promise(() => {})
})
