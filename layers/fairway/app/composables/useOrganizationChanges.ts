import type { Router } from 'vue-router'
import { formatTime } from '#fairway/shared/languages'
import { orgPagePath } from '#fairway/shared/org-path'
import type { JoinedOrganization, OrganizationDetails, OrganizationEntry } from '#fairway/shared/schemas/organization'
import type { ActionFailure } from '../request/action-failure'
import { callOperation, type OperationArgs, type OperationName, type OperationOutput } from '../request/operations'
import { toActionFailure } from '../request/send-json'
import { pageOrg } from '../session/page-org'
import type { JoinQuestion, Place, SwitchQuestion } from './useOrganizations'

/** Opens a page in an organization as a new document, if this one has an organization in its address. */
function openIn({ slug }: Pick<OrganizationEntry, 'slug'>, path = '/'): void {
  if (pageOrg.slug) window.location.assign(orgPagePath(slug, path))
}

/** Changes to the user's organizations and to the active one. The functions throw ActionFailure. */
export function useOrganizationChanges() {
  const { $session } = useNuxtApp()
  const { refresh } = useOrganizations()

  /** Makes a change, then reloads the session and the organizations. */
  async function change<Name extends OperationName>(
    name: Name,
    ...args: OperationArgs<Name>
  ): Promise<OperationOutput<Name>> {
    const answer = await callOperation(name, ...args)
    await Promise.all([$session.follow(), refresh()])
    return answer
  }

  /** Makes a change after which the user works in another organization, if they confirmed that. */
  async function enter<Name extends 'accept-invitation' | 'join-organization'>(
    confirm: boolean,
    name: Name,
    ...args: OperationArgs<Name>
  ) {
    const answer = await change(name, ...args)
    if (confirm) openIn(answer.joined)
    return answer
  }

  async function create(name: string, confirm?: true) {
    const organization = await change('create-organization', { name, confirm })
    openIn(organization)
    return organization
  }

  /** Makes a change after which the user has no organization at this address. */
  async function end<Name extends 'leave-organization' | 'delete-organization'>(
    name: Name,
    ...args: OperationArgs<Name>
  ): Promise<OperationOutput<Name>> {
    if (!pageOrg.slug) return change(name, ...args)
    const answer = await callOperation(name, ...args)
    openIn({ slug: null })
    return answer
  }

  return {
    switchTo: (orgId: string | null, confirm?: true) => change('switch-organization', { orgId, confirm }),
    create,
    update: (
      input: Partial<Pick<OrganizationDetails, 'name' | 'allowedDomain' | 'agentsReadOnly'>> & { slug?: string },
    ) => change('update-organization', input),
    accept: (id: string, input: { token?: string; confirm: boolean }) =>
      enter(input.confirm, 'accept-invitation', { id, ...input }),
    decline: (id: string, token?: string) => change('decline-invitation', { id, token }),
    join: (orgId: string, confirm: boolean) => enter(confirm, 'join-organization', { orgId, confirm }),
    leave: (receiver?: string) => end('leave-organization', { receiver }),
    transfer: (email: string) => change('transfer-ownership', { email }),
    destroy: (name: string) => end('delete-organization', { name }),
    restore: (orgId: string) => change('restore-organization', { orgId }),
  }
}

/**
 * Switches the active organization and offers undo. Asks first only if credentials would be left behind. A page with an
 * organization in its address opens the same section at the other address instead, and the active one stays.
 */
export function useOrganizationSwitch() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const { organization } = useSession()
  const { question } = useOrganizationDialogs()
  const { switchTo } = useOrganizationChanges()
  const router = useRouter()

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
    if (pageOrg.slug) return openIn({ slug: to?.slug ?? null }, sectionOf(router))
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

/** The path of the current page; the list of a row's page, because other organizations have other rows. */
function sectionOf({ currentRoute, resolve }: Pick<Router, 'currentRoute' | 'resolve'>): string {
  const { path, matched } = currentRoute.value
  const pattern = matched.at(-1)?.path.split('/') ?? []
  const at = pattern.findIndex(part => part.includes(':') && !part.endsWith('?'))
  const list = at === -1 ? path : path.split('/').slice(0, at).join('/')
  return resolve(list || '/').matched.length > 0 ? list || '/' : '/'
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
