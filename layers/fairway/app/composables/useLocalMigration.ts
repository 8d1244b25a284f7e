import { LOCAL_MIGRATION_PATH } from '#fairway/shared/paths'
import { localDataSchema, localMoveSchema } from '#fairway/shared/schemas/local-migration'
import { sendJson } from '../request/send-json'

const LIMIT_IN_MS = 120_000

/** What was made without an account of one's own on this server, and moving it to the person who is signed in. */
export function useLocalMigration() {
  const found = useRequest(async () => localDataSchema.parse(await sendJson(LOCAL_MIGRATION_PATH)))
  const moving = useRequest(async () =>
    localMoveSchema.parse(await sendJson(LOCAL_MIGRATION_PATH, { method: 'POST', body: {}, timeoutInMs: LIMIT_IN_MS })),
  )

  return { found, moving }
}
