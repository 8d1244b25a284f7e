import type { ListedInvitation } from '#fairway/shared/schemas/organization'
import { ActionFailure } from '../request/action-failure'
import { callOperation } from '../request/operations'
import { unlessGone } from '../request/open-stream'

/** The open invitations of the active organization, with their actions. */
export function usePendingInvitations() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()

  const { session } = useSession()
  const { attempt: load, result, pending, error } = useOperation('list-invitations')
  const change = useToldChange(load)
  const invitations = computed(() => result.value?.invitations)
  // The session is reloaded when the user returns from their email.
  const mustConfirm = computed(() => Boolean(result.value?.needsVerifiedEmail && !session.value?.emailVerified))

  const resend = ({ id, email }: ListedInvitation) =>
    change({
      run: () => callOperation('resend-invitation', { id }),
      done: t('team.invitations.resent', { email }),
      failed: t('team.invitations.notResent', { email }),
    })

  const send = ({ id }: ListedInvitation) => callOperation('revoke-invitation', { id }).catch(unlessGone)

  const revoke = (invitation: ListedInvitation) =>
    change({
      run: () => send(invitation),
      done: () => ({
        title: t('team.invitations.revoked', { email: invitation.email }),
        description: t('team.invitations.revokedText'),
      }),
      failed: t('team.invitations.notRevoked', { email: invitation.email }),
    })

  /** Revokes invitations in sequence. Returns the failed ones. */
  async function revokeAll(chosen: readonly ListedInvitation[]): Promise<void> {
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

  /** Invites another address in place of a wrong one. Throws ActionFailure, for example for a member's address. */
  async function correct(invitation: ListedInvitation, address: string): Promise<void> {
    const email = address.trim()
    const { failed: refused } = await callOperation('invite-member', {
      invitations: [{ email, role: invitation.role }],
    })
    if (refused[0]) throw new ActionFailure({ kind: 'problem', code: refused[0].code })
    await send(invitation)
    toast.add({ title: t('team.invitations.corrected', { email }), icon: 'i-lucide-check' })
    await load()
  }

  return { invitations, mustConfirm, pending, error, load, resend, revoke, revokeAll, correct }
}
