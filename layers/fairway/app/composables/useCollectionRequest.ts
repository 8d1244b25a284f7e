import { type CollectionPage, readCollectionPage } from '#fairway/shared/collections/collection-page'
import { ActionFailure } from '../request/action-failure'
import { toActionFailure } from '../request/call-action'
import { sendJson } from '../request/send-json'

/** One page of a collection at a time: a newer request gives the older one up, and the last good page stays. */
export function useCollectionRequest<Item>() {
  const { check } = useSession()
  const page = shallowRef<CollectionPage<Item>>()
  const status = ref<'idle' | 'pending' | 'success' | 'error'>('idle')
  const error = shallowRef<ActionFailure>()
  /** The path that `page` is the answer of. */
  const answered = ref<string>()
  let running: AbortController | undefined

  /** Asks for `path`; true when its page is here, false when it failed or is no longer wanted. */
  async function load(path: string, options: { as?: string; join?: JoinPages<Item> } = {}): Promise<boolean> {
    running?.abort()
    const { signal } = (running = new AbortController())
    status.value = 'pending'
    try {
      const next = await askForPage<Item>(path, signal)
      if (signal.aborted) return false
      page.value = page.value && options.join ? options.join(page.value, next) : next
      answered.value = options.as ?? path
      error.value = undefined
      status.value = 'success'
      return true
    } catch (thrown) {
      if (signal.aborted) return false
      error.value = toActionFailure(thrown)
      status.value = 'error'
      // The session may have ended meanwhile; the gate decides what to do then.
      if (error.value.status === 401) void check()
      return false
    }
  }

  onScopeDispose(() => running?.abort())

  return { page, status, error, answered, load }
}

type JoinPages<Item> = (shown: CollectionPage<Item>, next: CollectionPage<Item>) => CollectionPage<Item>

async function askForPage<Item>(path: string, signal: AbortSignal): Promise<CollectionPage<Item>> {
  const page = readCollectionPage(await sendJson(path, { signal }))
  const isOurs = (link: string) => new URL(link, location.origin).origin === location.origin
  if (!Object.values(page.view ?? {}).every(link => link === undefined || isOurs(link))) {
    throw new ActionFailure({ kind: 'problem', code: 'unreadable-answer', detail: 'A link leads elsewhere.' })
  }
  // The server has checked the items against the schema that this type is made from.
  return page as CollectionPage<Item>
}
