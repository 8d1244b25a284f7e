import * as z from 'zod'
import { type H3Event, getRouterParam } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { parseInput, readInput } from '#fairway/server/kernel/http/read-input'
import {
  type CredentialTest,
  credentialKeySchema,
  credentialValueSchema,
  type Vault,
} from '#fairway/shared/schemas/vault'
import { deleteCredential, putCredential, readVault, testCredential, type VaultScope } from './credentials'

type FindScope = (event: H3Event) => Promise<VaultScope>

const bodySchema = z.strictObject({ value: credentialValueSchema })

interface VaultRoutes {
  list(event: H3Event): Promise<Vault>
  put(event: H3Event): Promise<void>
  remove(event: H3Event): Promise<void>
  test(event: H3Event): Promise<CredentialTest>
}

/** What the addresses of a vault answer, for the scope that a request has: the list, one credential that is set or deleted, and its test. */
export function vaultRoutes(findScope: FindScope): VaultRoutes {
  const readKey = (event: H3Event): string =>
    parseInput(z.object({ key: credentialKeySchema }), { key: getRouterParam(event, 'key') }).key
  return {
    list: async event => readVault(getApp(event), await findScope(event)),
    async put(event) {
      const scope = await findScope(event)
      const { value } = await readInput(event, bodySchema)
      await putCredential(getApp(event), scope, readKey(event), value)
    },
    async remove(event) {
      const scope = await findScope(event)
      await deleteCredential(getApp(event), scope, readKey(event))
    },
    async test(event) {
      const scope = await findScope(event)
      return testCredential(getApp(event), scope, readKey(event))
    },
  }
}
