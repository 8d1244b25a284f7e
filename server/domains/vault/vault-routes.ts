import type { EventHandler, H3Event } from 'h3'
import { getRouterParam } from 'h3'
import * as z from 'zod'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'
import { parseInput } from '#server/foundation/http/parse-input'
import { readInput } from '#server/foundation/http/read-input'
import { credentialKeySchema, credentialValueSchema } from '#shared/schemas/vault'
import { deleteCredential } from './delete-credential'
import { putCredential } from './put-credential'
import { readVault } from './read-vault'
import { testCredential } from './test-credential'
import type { VaultScope } from './vault-scope'

type FindScope = (event: H3Event) => Promise<VaultScope>

const bodySchema = z.strictObject({ value: credentialValueSchema })

/** The handlers of a vault's addresses, for the scope that a request has: the list, one credential, and its test. */
export function vaultRoutes(findScope: FindScope): Record<'list' | 'credential' | 'test', EventHandler> {
  const readKey = (event: H3Event): string =>
    parseInput(z.object({ key: credentialKeySchema }), { key: getRouterParam(event, 'key') }).key
  return {
    list: defineMethods({ GET: async event => readVault(getApp(event), await findScope(event)) }),
    credential: defineMethods({
      async PUT(event) {
        const scope = await findScope(event)
        const { value } = await readInput(event, bodySchema)
        await putCredential(getApp(event), scope, readKey(event), value)
      },
      async DELETE(event) {
        const scope = await findScope(event)
        await deleteCredential(getApp(event), scope, readKey(event))
      },
    }),
    test: defineMethods({
      async POST(event) {
        const scope = await findScope(event)
        return testCredential(getApp(event), scope, readKey(event))
      },
    }),
  }
}
