import { SESSIONS_PATH } from '#fairway/shared/paths'
import type { Device } from '#fairway/shared/schemas/device'
import { toActionFailure } from '../request/call-action'
import { sendJson } from '../request/send-json'

/** Where the signed-in person is signed in, and how to end that. */
export function useDevices() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { run, result, error } = useRequest(
    async () => ((await sendJson(SESSIONS_PATH)) as { sessions: Device[] }).sessions,
  )
  const others = computed(() => result.value?.filter(({ current }) => !current) ?? [])

  const nameOf = ({ browser, system }: Device): string =>
    t('devices.name', {
      browser: browser ?? t('devices.unknownBrowser'),
      system: system ?? t('devices.unknownSystem'),
    })

  const load = () =>
    run(undefined).then(
      () => undefined,
      () => undefined,
    )

  async function end(device: Device): Promise<void> {
    const named = { device: nameOf(device) }
    try {
      await sendJson(`${SESSIONS_PATH}/${encodeURIComponent(device.id)}`, { method: 'DELETE' }).catch(unlessGone)
      toast.add({ title: t('devices.ended', named), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('devices.notEnded', named), thrown, () => end(device))
    }
    await load()
  }

  async function endOthers(): Promise<void> {
    try {
      const { ended } = (await sendJson(SESSIONS_PATH, { method: 'DELETE' })) as { ended: number }
      toast.add({ title: t('devices.endedOthers', ended), icon: 'i-lucide-check' })
    } catch (thrown) {
      failed(t('devices.notEndedOthers'), thrown, endOthers)
    }
    await load()
  }

  return { devices: result, others, error, nameOf, load, end, endOthers }
}

/** Somebody else has ended it a moment ago, which is what was asked for. */
function unlessGone(thrown: unknown): void {
  if (toActionFailure(thrown).status !== 404) throw thrown
}
