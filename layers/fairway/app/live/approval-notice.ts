// Loaded with the first question of an app.
import texts from '#build/texts/connected-apps'
import type { NuxtApp } from '#app'
import { APPROVALS_PAGE } from '#fairway/shared/paths'
import type { Change } from '#fairway/shared/schemas/change'

const SHOWN_IN_MS = 20_000
const QUESTIONS = ['request-approval', 'request-admin-approval']

/** Shows a toast when the change is a question of an app to the user. */
export function noticeApproval(nuxtApp: NuxtApp, { action }: Change): void {
  if (!QUESTIONS.includes(action)) return
  nuxtApp.runWithContext(() => {
    useTexts(texts)
    const { t } = useI18n()
    useToast().add({
      // Several questions in a row are one message.
      id: 'approval',
      title: t('apps.waiting.asked'),
      icon: 'i-lucide-circle-question-mark',
      duration: SHOWN_IN_MS,
      actions: [{ label: t('apps.waiting.look'), to: APPROVALS_PAGE }],
    })
  })
}
