import texts from '#build/texts/protect'
import { callOperation } from '../request/operations'
import { permissionText } from '../tools/permission-text'

interface Held {
  orgId: string
  names: readonly string[]
  /** Those that the user holds for all rows or for the rows of a team. */
  forTeams: readonly string[]
}

/**
 * The permissions of the application that the user holds in the active organization, shared by the whole page: `can` is false until
 * they are loaded. `isNeeded` can put that off. This is only visual: the server enforces permissions.
 */
export function usePermissions(isNeeded: () => boolean = () => true) {
  const { session } = useSession()
  const held = useState<Held | undefined>('permissions-held', () => undefined)
  const orgId = computed(() => session.value?.orgId ?? '')
  const mine = computed(() => (held.value?.orgId === orgId.value ? held.value : undefined))

  const { attempt: refresh, error } = useRequest(async () => {
    const requestedOrgId = orgId.value
    const { permissions, forTeams } = await callOperation('list-own-permissions')
    held.value = { orgId: requestedOrgId, names: permissions, forTeams }
  })
  const load = () => {
    if (isNeeded() && orgId.value && !mine.value) void refresh()
  }

  watch([orgId, isNeeded], load)
  onMounted(load)
  return {
    /** Whether the user holds this permission, such as `notes:purge`; with `forTeam` also for the rows of one team only. */
    can: (name: string, { forTeam = false } = {}): boolean =>
      (forTeam ? mine.value?.forTeams : mine.value?.names)?.includes(name) === true,
    isLoading: computed(() => orgId.value !== '' && !mine.value && !error.value),
    /** Asks the server again, for example after a role was changed. */
    refresh,
  }
}

/** The texts of permissions, in the language of the page. */
export function usePermissionTexts() {
  useTexts(texts)
  const { t, te } = useI18n()
  const has = (key: string) => te(key) || te(key, 'en')
  return (name: string, declared: string = name): string => permissionText(name, declared, { t, has })
}
