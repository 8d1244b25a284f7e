import type { PendingInvitation } from '#fairway/shared/schemas/organization'
import { callOperation } from '../request/operations'
import { unlessGone } from '../request/send-json'

/** The invitations of the active organization that nobody has answered yet, and what can be done with one. */
export function usePendingInvitations() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()

  const { session } = useSession()
  const { attempt: load, result, pending, error } = useOperation('list-invitations')
  const invitations = computed(() => result.value?.invitations)
  // The session is asked for again when the user comes back from their mail.
  const mustConfirm = computed(() => Boolean(result.value?.needsVerifiedEmail && !session.value?.emailVerified))

  async function resend(invitation: PendingInvitation): Promise<void> {
    const named = { email: invitation.email }
    try {
      await callOperation('resend-invitation', { id: invitation.id })
      toast.add({ title: t('team.invitations.resent', named), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('team.invitations.notResent', named), thrown, () => resend(invitation))
    }
    await load()
  }

  const send = ({ id }: PendingInvitation) => callOperation('revoke-invitation', { id }).catch(unlessGone)

  async function revoke(invitation: PendingInvitation): Promise<void> {
    const named = { email: invitation.email }
    try {
      await send(invitation)
      toast.add({
        title: t('team.invitations.revoked', named),
        description: t('team.invitations.revokedText'),
        icon: 'i-lucide-check',
      })
    } catch (thrown) {
      failed(t('team.invitations.notRevoked', named), thrown, () => revoke(invitation))
    }
    await load()
  }

  /** Revokes one after the other; says which could not be. */
  async function revokeAll(chosen: readonly PendingInvitation[]): Promise<void> {
    let done = 0
    for (const invitation of chosen) {
      try {
        await send(invitation)
        done++
      } catch (thrown) {
        failed(t('team.invitations.notRevoked', { email: invitation.email }), thrown, () => revoke(invitation))
      }
    }
    if (done > 0) toast.add({ title: t('team.invitations.revokedCount', done), icon: 'i-lucide-check' })
    await load()
  }

  return { invitations, mustConfirm, pending, error, load, resend, revoke, revokeAll }
}
