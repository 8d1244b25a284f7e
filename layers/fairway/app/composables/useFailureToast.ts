import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { ActionFailure } from '../request/action-failure'
import { toActionFailure } from '../request/send-json'

const SHOWN_IN_MS = 20_000

/** Says in a toast that something did not work, with the way to try again; of what nobody expected also code and request id. */
export function useFailureToast() {
  const { t } = useI18n()
  const toast = useToast()
  const failureText = useFailureText()
  const route = useRoute()

  return (title: string, thrown: unknown, retry?: () => unknown): void => {
    const failure = toActionFailure(thrown)
    const requestId = failure.isUnexpected ? failure.requestId : undefined
    toast.add({
      title,
      description: failure.isUnexpected ? `${failureText(failure)} (${failure.code})` : failureText(failure),
      icon: failure.kind === 'offline' ? 'i-lucide-wifi-off' : 'i-lucide-circle-alert',
      color: 'warning',
      duration: SHOWN_IN_MS,
      actions: [
        ...(failure.code === 'fresh-session-required'
          ? [
              {
                label: t('failures.signInAgain'),
                to: signInPathFor({ returnPath: route.path, again: true }),
                external: true,
                target: '_blank' as const,
              },
            ]
          : []),
        ...(retry
          ? [
              {
                label: t('failures.retry'),
                color: 'neutral' as const,
                variant: 'outline' as const,
                onClick: () => void retry(),
              },
            ]
          : []),
        ...(requestId ? [copyAction(t('failures.copyRequestId'), requestId)] : []),
      ],
    })
  }
}

const copyAction = (label: string, text: string) => ({
  label,
  color: 'neutral' as const,
  variant: 'ghost' as const,
  onClick: (event: Event) => {
    event.stopPropagation()
    void navigator.clipboard.writeText(text)
  },
})

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
