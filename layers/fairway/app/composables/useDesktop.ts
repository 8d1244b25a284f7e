import {
  type DesktopAnswer,
  desktopAnswerSchema,
  type DesktopCommand,
  type DesktopStatus,
  desktopStatusSchema,
} from '#fairway/shared/schemas/desktop'

declare global {
  /** What a desktop application gives to the pages it shows; absent in browsers. What comes through it is parsed. */
  interface DesktopBridge {
    send(command: DesktopCommand): Promise<DesktopAnswer>
    /** Calls the listener after each change; gives a function that ends it. */
    onStatus(listener: (status: DesktopStatus) => void): () => void
  }

  var fairwayDesktop: DesktopBridge | undefined
}

/** The sign-in to the workspace on this computer, as the desktop application around this page tells it; nothing is known without one. */
export function useDesktop() {
  const bridge = globalThis.fairwayDesktop
  const { check } = useSession()
  const status = shallowRef<DesktopStatus>()
  /** Why the last command was not carried out. */
  const failure = ref<string>()
  const pending = ref<DesktopCommand['type']>()
  let stop: (() => void) | undefined

  function take(pushed: unknown): void {
    const parsed = desktopStatusSchema.safeParse(pushed)
    if (parsed.success) status.value = parsed.data
  }

  /** Sends a command and keeps what is answered; gives the code of a refusal. */
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
    // Where the desktop application cannot say how it stands, there is nothing to show: ordinary sign-in is as ever.
    await send({ type: 'get-status' })
  })
  onBeforeUnmount(() => stop?.())

  return { status, failure: readonly(failure), pending: readonly(pending), run }
}
