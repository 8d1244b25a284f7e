import type { CredentialTest, StoredCredential, Vault } from '#fairway/shared/schemas/vault'
import { sendJson } from '../request/send-json'

/** The credentials below one address: those of the person or of their organization. */
export function useVault(base: string) {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { run, result, error } = useRequest(async () => (await sendJson(base)) as Vault)

  const load = () => run(undefined).catch(() => undefined)
  const pathOf = (key: string) => `${base}/${encodeURIComponent(key)}`

  /** Throws ActionFailure, so that the dialog stays open and says why. */
  async function save({ key, value }: { key: string; value: string }): Promise<boolean> {
    await sendJson(pathOf(key), { method: 'PUT', body: { value } })
    toast.add({ title: t('vault.saved', { key }), icon: 'i-lucide-check' })
    await load()
    return true
  }

  async function remove({ key }: StoredCredential): Promise<void> {
    await sendJson(pathOf(key), { method: 'DELETE' })
    toast.add({ title: t('vault.deleted', { key }), icon: 'i-lucide-check' })
    await load()
  }

  async function test({ key }: StoredCredential): Promise<void> {
    try {
      const { outcome } = (await sendJson(`${pathOf(key)}/test`, { method: 'POST', body: {} })) as CredentialTest
      const isGood = outcome === 'works' || outcome === 'readable'
      const icon = isGood ? 'i-lucide-check' : 'i-lucide-circle-alert'
      toast.add({ title: t(`vault.tests.${outcome}`, { key }), icon, color: isGood ? 'primary' : 'error' })
    } catch (thrown) {
      failed(t('vault.tests.failed', { key }), thrown)
    }
  }

  return { vault: result, error, load, save, remove, test }
}
