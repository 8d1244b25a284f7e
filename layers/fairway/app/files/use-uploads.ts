// The uploads of one field: those in progress, and the errors of those that failed.
import type { UploadedFile, UploadRules } from '#fairway/shared/schemas/file'
import { ActionFailure } from '../request/action-failure'
import { toActionFailure } from '../request/send-json'
import { bytesText, readUploadRules, uploadFile } from './upload-file'

/** A file during its upload. */
export interface Upload {
  key: number
  name: string
  /** From 0 to 1. */
  progress: number
  stop(): void
}

/** Uploads files for one declaration of `server/uploads`. Calls `take` with each finished file. */
export function useUploads(upload: () => string, take: (file: UploadedFile) => void) {
  const { t } = useI18n()
  const { language } = useLanguage()
  const under = ref<Upload[]>([])
  const faults = ref<string[]>([])
  const said = ref('')
  const rules = shallowRef<UploadRules>()
  /** The order of selection by file id. Uploads may finish in another order. */
  const chosen = new Map<string, number>()
  let count = 0

  // Without the rules, the server rejects invalid files.
  onMounted(() =>
    readUploadRules(upload()).then(
      loaded => (rules.value = loaded),
      () => undefined,
    ),
  )
  onBeforeUnmount(() => {
    for (const each of under.value) each.stop()
  })

  const most = computed(() => (rules.value ? bytesText(rules.value.maxSize, language.value) : undefined))

  function faultOf(name: string, { code, kind }: ActionFailure): string {
    if (code === 'file-too-large') return t('files.tooLarge', { name, most: most.value ?? '' })
    if (code === 'file-type-refused') return t('files.wrongType', { name })
    return t(kind === 'offline' ? 'files.offline' : 'files.failed', { name })
  }

  async function send(file: File): Promise<void> {
    const { name } = file
    const clock = new AbortController()
    const mine: Upload = reactive({ key: ++count, name, progress: 0, stop: () => clock.abort() })
    under.value = [...under.value, mine]
    try {
      if (rules.value && file.size > rules.value.maxSize)
        throw new ActionFailure({ kind: 'problem', code: 'file-too-large' })
      const onProgress = (part: number) => (mine.progress = part)
      const arrived = await uploadFile(upload(), file, { signal: clock.signal, onProgress })
      chosen.set(arrived.id, mine.key)
      take(arrived)
      said.value = t('files.uploaded', { name })
    } catch (thrown) {
      if (clock.signal.aborted) said.value = t('files.cancelled', { name })
      else faults.value = [...faults.value, faultOf(name, toActionFailure(thrown))]
    } finally {
      under.value = under.value.filter(({ key }) => key !== mine.key)
    }
  }

  /** Files in order of selection, after those that already existed. */
  const inOrder = <F extends { id: string }>(files: readonly F[]): F[] =>
    files.toSorted((one, other) => (chosen.get(one.id) ?? 0) - (chosen.get(other.id) ?? 0))

  return { under, faults, said, rules, most, send, inOrder }
}
