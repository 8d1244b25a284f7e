import { signInPathFor } from '#fairway/shared/sign-in-path'
import { addressOf } from '../session/page-org'

/** What the user must do where a second factor is required: the key of its text, and the link. */
export function useSecondFactorStep() {
  const { session } = useSession()
  const { currentRoute } = useRouter()

  return computed(() => {
    const { canProve, hasPasskey } = session.value?.secondFactor ?? {}
    if (canProve || !hasPasskey)
      return { key: canProve ? 'prove' : 'setUp', link: { to: '/settings/security#factors' } } as const
    const to = signInPathFor({ returnPath: addressOf(currentRoute.value.fullPath), again: true })
    return { key: 'usePasskey', link: { to, external: true } } as const
  })
}
