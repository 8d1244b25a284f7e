import { unlessGone } from '../request/send-json'

interface Removal {
  /** Takes it away. */
  run: () => Promise<unknown>
  /** What is said afterwards: that it is gone, or that it is still there. */
  done: string
  failed: string
}

/** Takes an entry of a list away and loads the list again; a toast says what came of it, and offers to try again. */
export function useRemoval(load: () => Promise<unknown>) {
  const toast = useToast()
  const failure = useFailureToast()

  return async function remove({ run, done, failed }: Removal): Promise<void> {
    try {
      await run().catch(unlessGone)
      toast.add({ title: done, icon: 'i-lucide-check' })
    } catch (thrown) {
      failure(failed, thrown, () => remove({ run, done, failed }))
    }
    await load()
  }
}
