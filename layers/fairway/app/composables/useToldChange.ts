import type { Toast } from '@nuxt/ui/runtime/composables/useToast.js'

interface ToldChange<Output> {
  run: () => Promise<Output>
  /** The toast after success. */
  done: string | ((output: Output) => Partial<Toast>)
  /** The toast after a failure. */
  failed: string
}

/** Makes a change, reports the result in a toast, then reloads the affected data. A failure offers a retry. */
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
