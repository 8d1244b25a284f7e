import {
  type DesktopAnswer,
  desktopAnswerSchema,
  type DesktopCommand,
  type DesktopStatus,
  desktopStatusSchema,
} from '#fairway/shared/schemas/desktop'

declare global {
  /** The interface that a desktop application exposes to its pages; absent in browsers. Its messages are parsed. */
  interface DesktopBridge {
    send(command: DesktopCommand): Promise<DesktopAnswer>
    /** Calls the listener after each change. Returns a function that removes it. */
    onStatus(listener: (status: DesktopStatus) => void): () => void
  }

  var fairwayDesktop: DesktopBridge | undefined
}

/** The workspace sign-in on this computer, as reported by the surrounding desktop application. Empty in browsers. */
export function useDesktop() {
  const bridge = globalThis.fairwayDesktop
  const { check } = useSession()
  const status = shallowRef<DesktopStatus>()
  /** Why the latest command failed. */
  const failure = ref<string>()
  const pending = ref<DesktopCommand['type']>()
  let stop: (() => void) | undefined

  function take(pushed: unknown): void {
    const parsed = desktopStatusSchema.safeParse(pushed)
    if (parsed.success) status.value = parsed.data
  }

  /** Sends a command and stores the answer. Returns the error code after a refusal. */
  async function send(command: DesktopCommand): Promise<string | undefined> {
    const answer = desktopAnswerSchema.safeParse(await Promise.resolve(bridge?.send(command)).catch(() => undefined))
    if (!answer.success) return 'unreadable'
    if (!answer.data.ok) return answer.data.code
    status.value = answer.data.status
    return undefined
  }

  async function run(command: DesktopCommand): Promise<void> {
    if (pending.value === command.type) return
    pending.value = command.type
    failure.value = await send(command)
    pending.value = undefined
    // This page belongs to one of the applications that were signed in or out.
    if (command.type !== 'set-enabled') await check()
  }

  onMounted(async () => {
    stop = bridge?.onStatus(take)
    // If the desktop application cannot report its status, nothing is shown and ordinary sign-in works as usual.
    await send({ type: 'get-status' })
  })
  onBeforeUnmount(() => stop?.())

  return { status, failure: readonly(failure), pending: readonly(pending), run }
}
