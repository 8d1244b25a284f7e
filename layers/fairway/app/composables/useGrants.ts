import * as z from 'zod/mini'
import { toActionFailure } from '../request/call-action'
import { sendJson } from '../request/send-json'

const grantSchema = z.object({
  id: z.string(),
  clientName: z.string(),
  clientHost: z.nullish(z.string()),
  orgName: z.string(),
  scopes: z.array(z.object({ scope: z.string() })),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  expiresAt: z.string(),
  email: z.optional(z.string()),
  name: z.optional(z.string()),
})
const answerSchema = z.object({ grants: z.array(grantSchema) })

/** A connection; whose it is stands in the list of an organization only. */
export type Grant = z.infer<typeof grantSchema>

/** The connected apps below one path (one's own, or those of the organization), and how to end a connection. */
export function useGrants(path: string) {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { run, result, error } = useRequest(async () => answerSchema.parse(await sendJson(path)).grants)

  const load = () =>
    run(undefined).then(
      () => undefined,
      () => undefined,
    )

  async function revoke(grant: Grant): Promise<void> {
    const named = { app: grant.clientName }
    try {
      await sendJson(`${path}/${encodeURIComponent(grant.id)}`, { method: 'DELETE' }).catch(unlessGone)
      toast.add({ title: t('apps.revoked', named), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('apps.notRevoked', named), thrown, () => revoke(grant))
    }
    await load()
  }

  return { grants: result, error, load, revoke }
}

/** It has ended a moment ago, which is what was asked for. */
function unlessGone(thrown: unknown): void {
  if (toActionFailure(thrown).status !== 404) throw thrown
}
