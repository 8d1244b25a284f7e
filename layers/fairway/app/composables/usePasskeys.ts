import { startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import type { Passkey } from '#fairway/shared/schemas/account'
import { ActionFailure } from '../request/action-failure'
import { callOperation } from '../request/operations'

/** The passkeys of the signed-in person, and what can be done with them; `done` is false when the sign-in is too long ago. */
export function usePasskeys() {
  const { needsSignIn, change: attempt } = useRecentSignIn()
  const { attempt: load, result, error } = useRequest(async () => (await callOperation('list-passkeys')).passkeys)
  /** Does what a recent sign-in is needed for, and loads the list again. */
  async function change(work: () => Promise<unknown>): Promise<{ done: boolean }> {
    const done = await attempt(work)
    if (done) await load()
    return { done }
  }

  return {
    passkeys: result,
    error,
    needsSignIn,
    load,
    add: (name: string) =>
      change(async () => {
        const optionsJSON = await callOperation('start-passkey')
        const response = await startRegistration({ optionsJSON }).catch(toFailure)
        await callOperation('add-passkey', { response, name })
      }),
    rename: ({ id }: Passkey, name: string) => change(() => callOperation('rename-passkey', { id, name })),
    remove: ({ id }: Passkey) => change(() => callOperation('remove-passkey', { id })),
  }
}

/** Browsers say “not allowed” for a cancelled dialog and for one that nobody answered. */
function toFailure(cause: unknown): never {
  const isKnown = cause instanceof WebAuthnError && cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
  const isCancelled = cause instanceof Error && cause.name === 'NotAllowedError'
  const code = isKnown ? 'passkey-exists' : isCancelled ? 'passkey-cancelled' : 'passkey-failed'
  throw new ActionFailure({ kind: 'problem', code }, { cause })
}
