import { useEventListener } from '@vueuse/core'

/** Whether the browser believes that it has a connection. */
export function useOnline() {
  const isOnline = ref(true)
  const update = () => {
    isOnline.value = navigator.onLine
  }
  onMounted(update)
  useEventListener(['online', 'offline'], update)
  return readonly(isOnline)
}
