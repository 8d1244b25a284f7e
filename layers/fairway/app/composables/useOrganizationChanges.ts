import { ORG_PATH } from '#fairway/shared/paths'
import type { JoinedOrganization, OrganizationDetails, OrganizationEntry } from '#fairway/shared/schemas/organization'
import type { ActionFailure } from '../request/action-failure'
import { toActionFailure, sendJson, type SendOptions } from '../request/send-json'
import type { JoinQuestion, Place, SwitchQuestion } from './useOrganizations'

/** What changes my organizations or the active one; the functions throw ActionFailure. */
export function useOrganizationChanges() {
  const { check } = useSession()
  const { refresh } = useOrganizations()

  /** Sends a change and then asks anew who I am and where. */
  async function change(path: string, options: SendOptions): Promise<unknown> {
    const answer = await sendJson(ORG_PATH + path, options)
    await Promise.all([check(), refresh()])
    return answer
  }

  const answerInvitation = (id: string, answer: 'accept' | 'decline', body: { token?: string; confirm?: boolean }) =>
    change(`/invitations/${encodeURIComponent(id)}/${answer}`, { method: 'POST', body })

  return {
    switchTo: (orgId: string | null, confirm?: true) =>
      change('/active', { method: 'PUT', body: { orgId, ...(confirm ? { confirm } : {}) } }),
    create: (name: string, confirm?: true) =>
      change('', { method: 'POST', body: { name, ...(confirm ? { confirm } : {}) } }),
    update: (body: Partial<Pick<OrganizationDetails, 'name' | 'allowedDomain'>>) =>
      change('', { method: 'PATCH', body }),
    accept: async (id: string, body: { token?: string; confirm: boolean }) =>
      (await answerInvitation(id, 'accept', body)) as JoinedOrganization,
    decline: async (id: string, token?: string) => void (await answerInvitation(id, 'decline', { token })),
    join: async (orgId: string, confirm: boolean) =>
      (await change('/join', { method: 'POST', body: { orgId, confirm } })) as JoinedOrganization,
    leave: () => change('/leave', { method: 'POST', body: {} }),
    transfer: (email: string) => change('/transfer', { method: 'POST', body: { email } }),
    destroy: (name: string) => change('', { method: 'DELETE', body: { name } }),
  }
}

/** Switches the active organization; asks first when the server wants it. */
export function useOrganizationSwitch() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { question } = useOrganizationDialogs()
  const { switchTo } = useOrganizationChanges()

  return async function change(to: Pick<OrganizationEntry, 'id' | 'name'> | null): Promise<void> {
    const name = to?.name ?? t('frame.personal')
    try {
      await switchTo(to?.id ?? null)
      toast.add({ title: t('org.switched', { name }), icon: 'i-lucide-check' })
    } catch (thrown) {
      const failure = toActionFailure(thrown)
      question.value = toSwitchQuestion(failure)
      if (!question.value) failed(t('org.notSwitched', { name }), failure, () => change(to))
    }
  }
}

/** Joining an organization: a user who is in one already is asked first whether to switch as well. */
export function useJoin() {
  const { t } = useI18n()
  const toast = useToast()
  const { overview } = useOrganizations()
  const { joining } = useOrganizationDialogs()

  /** Joins at once or opens the question; throws ActionFailure. */
  async function begin(question: JoinQuestion): Promise<void> {
    if (overview.value?.orgs.length) joining.value = question
    else finish(question, await question.join(false))
  }

  /** Tells where the person works now. */
  function finish({ joined: tell }: JoinQuestion, answer: JoinedOrganization): void {
    if (tell) return tell(answer)
    const { joined, active } = answer
    const isHere = joined.id === active?.id
    toast.add({
      title: t('invitations.accepted', { name: joined.name }),
      description: isHere ? undefined : t('invitations.stayed', { name: active?.name ?? t('frame.personal') }),
      icon: 'i-lucide-check',
    })
  }

  return { begin, finish }
}

export interface AdditionalQuestion {
  organization: Place
  orphanedCredentials: { key: string }[]
}

/** What the server asks before it changes the active organization, or undefined when it asks nothing. */
const toSwitchQuestion = (failure: ActionFailure): SwitchQuestion | undefined =>
  toQuestion<SwitchQuestion>(failure, 'confirm-organization-switch')

/** What the server asks before a user gets one more organization, or undefined when it asks nothing. */
export const toAdditionalQuestion = (failure: ActionFailure | undefined): AdditionalQuestion | undefined =>
  toQuestion<AdditionalQuestion>(failure, 'confirm-additional-organization')

const toQuestion = <Question>(failure: ActionFailure | undefined, code: string): Question | undefined =>
  failure?.code === code ? (failure.extra as Question) : undefined
