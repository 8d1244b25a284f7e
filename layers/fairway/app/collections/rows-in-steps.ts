const FIRST = 6
const STEP = 3
let isFirstPage = true

/**
 * The rows to render now. On the first page after a load, six rows come first and three more with each frame, so a slow phone
 * reacts between them (tasks below 50 ms). Later pages render all rows at once, so that going back finds its scroll position.
 */
export function useRowsInSteps<Row>(rows: () => readonly Row[] | undefined) {
  const most = ref(isFirstPage && import.meta.client ? FIRST : Infinity)
  const isComplete = computed(() => (rows()?.length ?? 0) <= most.value)

  function more(): void {
    if (isComplete.value) most.value = Infinity
    else most.value += STEP
    if (most.value < Infinity) afterFrame(more)
  }

  const stop = watch(
    () => (rows()?.length ?? 0) > 0,
    hasRows => {
      if (!hasRows) return
      isFirstPage = false
      if (most.value < Infinity) afterFrame(more)
      queueMicrotask(() => stop())
    },
    { immediate: true },
  )
  return { some: computed(() => rows()?.slice(0, most.value)), isComplete }
}

const afterFrame = (run: () => void) => requestAnimationFrame(() => setTimeout(run))
