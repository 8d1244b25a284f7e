/** Whether the browser believes that it has a connection. */
export function useOnline() {
  const isOnline = ref(true)
  const update = () => {
    isOnline.value = navigator.onLine
  }
  onMounted(() => {
    update()
    window.addEventListener('online', update)
    window.addEventListener('offline', update)
  })
  onBeforeUnmount(() => {
    window.removeEventListener('online', update)
    window.removeEventListener('offline', update)
  })
  return readonly(isOnline)
}
