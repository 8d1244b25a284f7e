import { useIntervalFn } from '@vueuse/core'
import type { FollowedJob } from '#fairway/shared/schemas/job'
import { callOperation } from '../request/operations'

const LOOK_EVERY_IN_MS = 1000
const ENDED = new Set(['done', 'failed', 'cancelled'])

/**
 * A job that this user has queued, by its ID. `job` has its state, its progress (`done` of `total`) and finally its result. It is
 * polled every second until it ends, and not while the ID is empty. `cancel` cancels the job.
 */
export function useJob(id: MaybeRefOrGetter<string | undefined>) {
  const job = shallowRef<FollowedJob>()
  const { status, error, load } = useKeptRequest()
  const isRunning = computed(() => job.value !== undefined && !ENDED.has(job.value.state))
  const look = async () => {
    const wanted = toValue(id)
    if (wanted === undefined || (job.value && !isRunning.value)) return
    await load({
      ask: () => callOperation('get-job', { id: wanted }),
      take: answer => (job.value = answer),
      isQuiet: job.value !== undefined,
    })
  }
  watch(
    () => toValue(id),
    () => {
      job.value = undefined
      void look()
    },
    { immediate: true },
  )
  useIntervalFn(look, LOOK_EVERY_IN_MS)
  const cancel = async () => {
    const wanted = toValue(id)
    if (wanted !== undefined) await callOperation('cancel-job', { id: wanted })
    await look()
  }
  return { job, isRunning, status, error, cancel }
}
