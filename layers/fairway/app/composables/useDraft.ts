import { createDraft, type DraftSchema } from '../session/draft'

/**
 * Keeps unsaved input of the signed-in user in their organization under a name, in this tab only. It survives the end of the session and is deleted at
 * sign-out. For use in a component's setup, in the browser.
 */
export function useDraft<T>(name: string, schema: DraftSchema<T>) {
  const { session } = useSession()
  const { userId = '', orgId } = session.value ?? {}
  return createDraft(sessionStorage, [userId, orgId].join(' '), name, schema)
}
