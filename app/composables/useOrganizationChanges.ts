import { ORG_PATH } from '#shared/paths'
import type { OrganizationDetails } from '#shared/schemas/organization'
import { sendJson, type SendOptions } from '../request/send-json'

export interface JoinedOrganization {
  orgId: string
  orgName: string
}

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

  const answerInvitation = (id: string, answer: 'accept' | 'decline', token?: string) =>
    change(`/invitations/${encodeURIComponent(id)}/${answer}`, { method: 'POST', body: token ? { token } : {} })

  return {
    switchTo: (orgId: string | null, confirm?: true) =>
      change('/active', { method: 'PUT', body: { orgId, ...(confirm ? { confirm } : {}) } }),
    create: (name: string, confirm?: true) =>
      change('', { method: 'POST', body: { name, ...(confirm ? { confirm } : {}) } }),
    update: (body: Partial<Pick<OrganizationDetails, 'name' | 'allowedDomain'>>) =>
      change('', { method: 'PATCH', body }),
    accept: async (id: string, token?: string) => (await answerInvitation(id, 'accept', token)) as JoinedOrganization,
    decline: async (id: string, token?: string) => void (await answerInvitation(id, 'decline', token)),
    join: async (orgId: string) => (await change('/join', { method: 'POST', body: { orgId } })) as JoinedOrganization,
    leave: () => change('/leave', { method: 'POST', body: {} }),
    transfer: (email: string) => change('/transfer', { method: 'POST', body: { email } }),
    destroy: (name: string) => change('', { method: 'DELETE', body: { name } }),
  }
}
