const FIRST = 6
const STEP = 3
let isFirstList = true

/**
 * The rows to render now. In the first list after a load, six rows come first and three more with each frame, so a slow phone
 * reacts between them (tasks below 50 ms). Later lists render all rows at once, so that going back finds its scroll position.
 */
export function useRowsInSteps<Row>(rows: () => readonly Row[] | undefined) {
  const most = ref(isFirstList && import.meta.client ? FIRST : Infinity)
  const amount = computed(() => rows()?.length ?? 0)
  const isComplete = computed(() => amount.value <= most.value)

  function begin(): void {
    isFirstList = false
    if (most.value < Infinity) afterFrame(more)
  }
  function more(): void {
    most.value = isComplete.value ? Infinity : most.value + STEP
    if (most.value < Infinity) afterFrame(more)
  }

  if (amount.value > 0) begin()
  else watch(amount, begin, { once: true })
  return { some: computed(() => rows()?.slice(0, most.value)), isComplete }
}

const afterFrame = (run: () => void) => requestAnimationFrame(() => setTimeout(run))
