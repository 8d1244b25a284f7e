import type { Toast } from '@nuxt/ui/runtime/composables/useToast.js'

interface ToldChange<Output> {
  run: () => Promise<Output>
  /** What is said when it is done. */
  done: string | ((output: Output) => Partial<Toast>)
  /** What is said when it is not. */
  failed: string
}

/** Makes a change, says in a toast what came of it and then loads anew what it may have changed; a failure offers to try again. */
export function useToldChange(load?: () => Promise<unknown>) {
  const toast = useToast()
  const failure = useFailureToast()

  return async function change<Output>(told: ToldChange<Output>): Promise<void> {
    const { run, done, failed } = told
    try {
      const output = await run()
      toast.add({ icon: 'i-lucide-check', ...(typeof done === 'function' ? done(output) : { title: done }) })
    } catch (thrown) {
      failure(failed, thrown, () => change(told))
    }
    await load?.()
  }
}
