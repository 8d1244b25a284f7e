import { CONNECTIONS_PATH } from '#fairway/shared/paths'
import type { Connection } from '#fairway/shared/schemas/connection'
import { sendJson } from '../request/send-json'

/** The providers that can be connected, what is connected, and how to end that. */
export function useConnections() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { run, result, error } = useRequest(
    async () => ((await sendJson(CONNECTIONS_PATH)) as { connections: Connection[] }).connections,
  )

  const load = () => run(undefined).catch(() => undefined)

  /** The address that leads to the provider and back to this page. */
  const connectPath = ({ provider }: Connection): string =>
    `${CONNECTIONS_PATH}/${encodeURIComponent(provider)}?${new URLSearchParams({ return: '/connections' })}`

  async function disconnect({ provider, name }: Connection): Promise<void> {
    try {
      const path = `${CONNECTIONS_PATH}/${encodeURIComponent(provider)}`
      const { revoked } = (await sendJson(path, { method: 'DELETE' })) as { revoked: boolean }
      const title = t('connections.disconnected', { name })
      toast.add({ title, description: revoked ? undefined : t('connections.notRevoked'), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('connections.notDisconnected', { name }), thrown)
    }
    await load()
  }

  return { connections: result, error, load, connectPath, disconnect }
}
