import { ORG_PATH } from '#fairway/shared/paths'
import type { JoinedOrganization, OrganizationDetails } from '#fairway/shared/schemas/organization'
import { sendJson, type SendOptions } from '../request/send-json'

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
