import { LOCAL_DATA_MARK } from '#fairway/shared/device'

/** Whether this page came from a server that moves local data, and an account of the person's own is signed in. */
export function useMayMoveLocalData() {
  const { session } = useSession()
  return computed(
    () =>
      session.value !== undefined &&
      session.value.provider !== 'dev' &&
      session.value.provider !== 'auth-disabled' &&
      document.querySelector(`meta[name="${LOCAL_DATA_MARK}"]`) !== null,
  )
}
