import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { ActionFailure } from '../request/action-failure'
import type * as LimitText from '../request/limit-text'
import { toActionFailure } from '../request/send-json'
import { addressOf } from '../session/page-org'

const SHOWN_IN_MS = 20_000
const AT_LIMIT = 'plan-limit'

/** Loaded with the first refusal at a limit, so that the first page does not load it. */
const limits = shallowRef<typeof LimitText>()

async function loadLimits(): Promise<void> {
  limits.value ??= await import('../request/limit-text').catch(() => undefined)
}

/** Shows a failure in a toast with a retry button. Unexpected failures also show code and request ID. */
export function useFailureToast() {
  const { t } = useI18n()
  const toast = useToast()
  const failureText = useFailureText()
  const route = useRoute()

  return async (title: string, thrown: unknown, retry?: () => unknown): Promise<void> => {
    const failure = toActionFailure(thrown)
    if (failure.code === AT_LIMIT) await loadLimits()
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
                to: signInPathFor({ returnPath: addressOf(route.path), again: true }),
                external: true,
                target: '_blank' as const,
              },
            ]
          : []),
        ...(failure.upgradeUrl ? [{ label: t('failures.upgrade'), to: failure.upgradeUrl }] : []),
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

/** The numbers of a refusal at a limit, as soon as their code is loaded. */
function numbersOf(...refusal: Parameters<typeof LimitText.limitText>): string | undefined {
  void loadLimits()
  return limits.value?.limitText(...refusal)
}

/** Describes a failure in one sentence, in the interface language if it has a text for the code. */
export function useFailureText() {
  const { t, te, n } = useI18n()
  const { language } = useLanguage()

  return (failure: ActionFailure): string => {
    const { code, title: english = '', extra } = failure
    const numbers = code === AT_LIMIT ? numbersOf(extra, { t, te, n }) : undefined
    const key = [
      `orgFailures.${code}`,
      `passwordFailures.${code}`,
      `factorFailures.${code}`,
      `connectionFailures.${code}`,
      // Failures that the browser detected have no title from the server.
      ...(english === '' ? [`failures.codes.${code}`] : []),
      `errors.${code}`,
    ].find(known => te(known))
    const title = key ? t(key) : english || t('failures.codes.other')
    if (numbers) return `${title} ${numbers}`
    // The server's details are in English.
    const { detail } = failure
    return detail && detail !== title && (language.value === 'en' || !key) ? `${title} ${detail}` : title
  }
}
