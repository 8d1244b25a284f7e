import type { ActionFailure } from '../request/action-failure'

/** Turns a failure into one sentence for people, in the language of the interface where it knows the code. */
export function useFailureText() {
  const { t, te } = useI18n()
  const { language } = useLanguage()

  return (failure: ActionFailure): string => {
    const { code, title: english = '', detail } = failure
    const key = [
      `orgFailures.${code}`,
      `passwordFailures.${code}`,
      `factorFailures.${code}`,
      `connectionFailures.${code}`,
      // What the browser itself found out has no title of the server.
      ...(english === '' ? [`failures.codes.${code}`] : []),
      `errors.${code}`,
    ].find(known => te(known))
    const title = key ? t(key) : english || t('failures.codes.other')
    // The server explains itself in English.
    return detail && detail !== title && (language.value === 'en' || !key) ? `${title} ${detail}` : title
  }
}
