import type { ActionFailure } from '../request/action-failure'

/** Turns a failure into one sentence for people, in the language of the interface where it knows the code. */
export function useFailureText() {
  const { t, te } = useI18n()
  const { language } = useLanguage()

  return (failure: ActionFailure): string => {
    const ours = [
      `orgFailures.${failure.code}`,
      `passwordFailures.${failure.code}`,
      `factorFailures.${failure.code}`,
      `connectionFailures.${failure.code}`,
    ].find(key => te(key))
    const key = ours ?? `failures.codes.${failure.code}`
    const title = te(key) ? t(key) : failure.title || t('failures.codes.internal')
    // The server explains itself in English.
    const detail = language.value === 'en' || !te(key) ? failure.detail : undefined
    return detail && detail !== title ? `${title} ${detail}` : title
  }
}
