import { ORG_PATH } from '#fairway/shared/paths'
import type { AuthProviderResult } from '#fairway/shared/schemas/organization'
import { sendJson } from '../request/send-json'

const PATH = `${ORG_PATH}/auth-provider`

export interface SignInPolicy {
  provider: string | null
  providers: { id: string; name: string }[]
}

export interface PolicyChange {
  provider: string | null
  /** Sent after somebody has read that they sign themselves out. */
  confirm?: true
}

/** How members of the active organization must sign in, and what a change would do before it is made. */
export function useSignInPolicy() {
  const { run, result, error } = useRequest(async () => (await sendJson(PATH)) as SignInPolicy)
  const load = () =>
    run(undefined).then(
      () => undefined,
      () => undefined,
    )

  const put = async (path: string, body: PolicyChange) =>
    (await sendJson(path, { method: 'PUT', body })) as AuthProviderResult

  return {
    policy: result,
    error,
    load,
    /** Changes nothing. */
    tryOut: (change: PolicyChange) => put(`${PATH}?dryRun=true`, change),
    apply: (change: PolicyChange) => put(PATH, change),
  }
}
