import { callOperation } from '../request/operations'

/** The roles that this application declares, who has which, and how to give one; `set` throws ActionFailure. */
export function useAppRoles() {
  const { attempt: load, result, error } = useOperation('list-app-roles')
  async function set(email: string, role: string | null): Promise<void> {
    await callOperation('assign-app-role', { email, role })
    await load()
  }
  /** The application declares no roles: there is nothing to show. */
  const isAbsent = computed(() => error.value?.code === 'unknown-app')

  return { roles: result, error, isAbsent, load, set }
}
