import { startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import { PASSKEYS_PATH } from '#fairway/shared/paths'
import type { Passkey } from '#fairway/shared/schemas/sign-in-factors'
import { ActionFailure } from '../request/action-failure'
import { sendJson } from '../request/send-json'

const REGISTRATION_PATH = `${PASSKEYS_PATH}/registration`
type Options = Parameters<typeof startRegistration>[0]['optionsJSON']

/** The passkeys of the signed-in person, and what can be done with them; `done` is false when the sign-in is too long ago. */
export function usePasskeys() {
  const { needsSignIn, change: attempt } = useRecentSignIn()
  const {
    attempt: load,
    result,
    error,
  } = useRequest(async () => ((await sendJson(PASSKEYS_PATH)) as { passkeys: Passkey[] }).passkeys)
  /** Does what a recent sign-in is needed for, and loads the list again. */
  async function change(work: () => Promise<unknown>): Promise<{ done: boolean }> {
    const done = await attempt(work)
    if (done) await load()
    return { done }
  }

  const pathOf = ({ id }: Passkey) => `${PASSKEYS_PATH}/${id}`

  return {
    passkeys: result,
    error,
    needsSignIn,
    load,
    add: (name: string) =>
      change(async () => {
        const optionsJSON = (await sendJson(REGISTRATION_PATH, { method: 'POST', body: {} })) as Options
        const response = await startRegistration({ optionsJSON }).catch(toFailure)
        await sendJson(REGISTRATION_PATH, { method: 'PUT', body: { response, name } })
      }),
    rename: (passkey: Passkey, name: string) =>
      change(() => sendJson(pathOf(passkey), { method: 'PATCH', body: { name } })),
    remove: (passkey: Passkey) => change(() => sendJson(pathOf(passkey), { method: 'DELETE' })),
  }
}

/** Browsers say “not allowed” for a cancelled dialog and for one that nobody answered. */
function toFailure(cause: unknown): never {
  const isKnown = cause instanceof WebAuthnError && cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
  const isCancelled = cause instanceof Error && cause.name === 'NotAllowedError'
  const code = isKnown ? 'passkey-exists' : isCancelled ? 'passkey-cancelled' : 'passkey-failed'
  throw new ActionFailure({ kind: 'problem', code }, { cause })
}
