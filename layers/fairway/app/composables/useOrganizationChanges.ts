import { formatTime } from '#fairway/shared/languages'
import type { JoinedOrganization, OrganizationDetails, OrganizationEntry } from '#fairway/shared/schemas/organization'
import type { ActionFailure } from '../request/action-failure'
import { callOperation, type OperationArgs, type OperationName, type OperationOutput } from '../request/operations'
import { toActionFailure } from '../request/send-json'
import type { JoinQuestion, Place, SwitchQuestion } from './useOrganizations'

/** Changes to the user's organizations and to the active one. The functions throw ActionFailure. */
export function useOrganizationChanges() {
  const { check } = useSession()
  const { refresh } = useOrganizations()

  /** Makes a change, then reloads the session and the organizations. */
  async function change<Name extends OperationName>(
    name: Name,
    ...args: OperationArgs<Name>
  ): Promise<OperationOutput<Name>> {
    const answer = await callOperation(name, ...args)
    await Promise.all([check(), refresh()])
    return answer
  }

  return {
    switchTo: (orgId: string | null, confirm?: true) => change('switch-organization', { orgId, confirm }),
    create: (name: string, confirm?: true) => change('create-organization', { name, confirm }),
    update: (input: Partial<Pick<OrganizationDetails, 'name' | 'allowedDomain' | 'agentsReadOnly'>>) =>
      change('update-organization', input),
    accept: (id: string, input: { token?: string; confirm: boolean }) => change('accept-invitation', { id, ...input }),
    decline: (id: string, token?: string) => change('decline-invitation', { id, token }),
    join: (orgId: string, confirm: boolean) => change('join-organization', { orgId, confirm }),
    leave: (receiver?: string) => change('leave-organization', { receiver }),
    transfer: (email: string) => change('transfer-ownership', { email }),
    destroy: (name: string) => change('delete-organization', { name }),
    restore: (orgId: string) => change('restore-organization', { orgId }),
  }
}

/** Switches the active organization and offers undo. Asks first only if credentials would be left behind. */
export function useOrganizationSwitch() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { organization } = useSession()
  const { question } = useOrganizationDialogs()
  const { switchTo } = useOrganizationChanges()

  /** Returns the server's question if the user must answer it before the switch. */
  async function switchUnlessAsked(id: string | null): Promise<SwitchQuestion | undefined> {
    try {
      await switchTo(id)
    } catch (thrown) {
      const question = toSwitchQuestion(toActionFailure(thrown))
      if (!question) throw thrown
      if (question.orphanedCredentials.length > 0) return question
      await switchTo(id, true)
    }
  }

  return async function change(to: Place | null): Promise<void> {
    const name = to?.name ?? t('frame.personal')
    const from = organization.value ?? null
    try {
      question.value = await switchUnlessAsked(to?.id ?? null)
      if (question.value) return
      const actions = [{ label: t('org.undo'), onClick: () => void change(from) }]
      toast.add({ title: t('org.switched', { name }), icon: 'i-lucide-check', actions })
    } catch (thrown) {
      failed(t('org.notSwitched', { name }), thrown, () => change(to))
    }
  }
}

/** Restores a deleted organization and reports the result. */
export function useOrganizationRestore() {
  const { t } = useI18n()
  const change = useToldChange()
  const { restore } = useOrganizationChanges()

  return ({ id, name }: Pick<OrganizationEntry, 'id' | 'name'>): Promise<void> =>
    change({
      run: () => restore(id),
      done: t('org.restored', { name }),
      failed: t('org.notRestored', { name }),
    })
}

/** The deleted organizations that the user can restore, as the switcher offers them. */
export function useRestorable() {
  const { t } = useI18n()
  const { language } = useLanguage()
  const { overview } = useOrganizations()
  const restore = useOrganizationRestore()

  return computed(() =>
    (overview.value?.deleted ?? []).map(({ id, name, purgeAt }) => ({
      label: t('org.restore', { name }),
      text: t('org.restoreText', { until: formatTime(purgeAt, language.value, 'day') }),
      icon: 'i-lucide-rotate-cw',
      restore: () => void restore({ id, name }),
    })),
  )
}

/** Joins an organization. A user who is already in one must first choose whether to switch. */
export function useJoin() {
  const { t } = useI18n()
  const toast = useToast()
  const { overview, refresh } = useOrganizations()
  const { joining } = useOrganizationDialogs()

  /** Joins immediately or opens the question. Throws ActionFailure. */
  async function begin(question: JoinQuestion): Promise<void> {
    // On a phone, nothing else may have loaded them.
    if (!overview.value) await refresh()
    if (overview.value?.orgs.length) joining.value = question
    else finish(question, await question.join(false))
  }

  /** Reports the joined organization, and the active one if it differs. */
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

/** The server's question before a switch of the active organization; undefined if it asks nothing. */
const toSwitchQuestion = (failure: ActionFailure): SwitchQuestion | undefined =>
  toQuestion<SwitchQuestion>(failure, 'confirm-organization-switch')

/** The server's question before a user joins another organization; undefined if it asks nothing. */
export const toAdditionalQuestion = (failure: ActionFailure | undefined): AdditionalQuestion | undefined =>
  toQuestion<AdditionalQuestion>(failure, 'confirm-additional-organization')

const toQuestion = <Question>(failure: ActionFailure | undefined, code: string): Question | undefined =>
  failure?.code === code ? (failure.extra as Question) : undefined
