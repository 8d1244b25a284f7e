import { ORG_PATH } from '#fairway/shared/paths'
import type { AppRolesAnswer } from '#fairway/shared/schemas/organization'
import { sendJson } from '../request/send-json'

const PATH = `${ORG_PATH}/app-roles`

/** The roles that this application declares, who has which, and how to give one; `set` throws ActionFailure. */
export function useAppRoles() {
  const { attempt: load, result, error } = useRequest(async () => (await sendJson(PATH)) as AppRolesAnswer)
  async function set(email: string, role: string | null): Promise<void> {
    await sendJson(PATH, { method: 'PUT', body: { email, role } })
    await load()
  }
  /** The application declares no roles: there is nothing to show. */
  const isAbsent = computed(() => error.value?.code === 'unknown-app')

  return { roles: result, error, isAbsent, load, set }
}
