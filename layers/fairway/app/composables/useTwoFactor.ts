import { TWO_FACTOR_PATH } from '#fairway/shared/paths'
import type { TwoFactorSecret, TwoFactorState } from '#fairway/shared/schemas/sign-in-factors'
import { sendJson } from '../request/send-json'

/** Two-factor sign-in of the signed-in person, and what can be done with it; everything but loading needs the password or a code. */
export function useTwoFactor() {
  const { run, result, error } = useRequest(async () => (await sendJson(TWO_FACTOR_PATH)) as TwoFactorState)
  const load = () =>
    run(undefined).then(
      () => undefined,
      () => undefined,
    )

  async function codesFrom(path: string, method: 'POST' | 'PUT', body: object): Promise<string[]> {
    const { backupCodes } = (await sendJson(path, { method, body })) as { backupCodes: string[] }
    await load()
    return backupCodes
  }

  return {
    state: result,
    error,
    load,
    start: async (password: string) =>
      (await sendJson(TWO_FACTOR_PATH, { method: 'POST', body: { password } })) as TwoFactorSecret,
    activate: (code: string) => codesFrom(TWO_FACTOR_PATH, 'PUT', { code }),
    renewCodes: (password: string) => codesFrom(`${TWO_FACTOR_PATH}/backup-codes`, 'POST', { password }),
    async end(password: string) {
      await sendJson(TWO_FACTOR_PATH, { method: 'DELETE', body: { password } })
      await load()
    },
  }
}
