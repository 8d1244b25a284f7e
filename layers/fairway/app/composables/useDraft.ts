import { createDraft, type DraftSchema } from '../session/draft'

/**
 * Keeps what the signed-in person has written under a name and not saved, in this tab only: it is there again when the session
 * ended meanwhile, and gone after a sign-out. For use in a component's setup, in the browser.
 */
export function useDraft<T>(name: string, schema: DraftSchema<T>) {
  const { session } = useSession()
  return createDraft(sessionStorage, session.value?.userId ?? '', name, schema)
}
