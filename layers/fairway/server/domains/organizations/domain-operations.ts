import { z } from 'zod'
import { auditIn, defineOperations, operation } from '#fairway/server/domains/actions'
import { limits } from '#fairway/server/kernel/limits/limits'
import { sessionPolicyPlanSchema, sessionPolicySchema } from '#fairway/shared/schemas/session-policy'
import { checkedDomainSchema, provedDomainSchema } from '#fairway/shared/schemas/domain'
import { getSessionPolicy, planSessionPolicy, policySchema, setSessionPolicy } from './set-session-policy'
import { mailWayBack, useWayBack } from './way-back'
import { checkDomain, claimDomain, listDomains, removeDomain } from './proved-domains'

const domain = z.string().max(300)

const closed = z.object({ orgId: z.string().max(64) })

export default defineOperations({
  'mail-way-back': operation({
    description: 'Mails you, an owner whom the sign-in rule or the session policy keeps out, a link that lifts it.',
    method: 'POST',
    path: '/_fw/org/way-back',
    input: closed,
    audit: ['orgId'],
    auditsElsewhere: true,
    async run({ orgId }, { app, session, event }) {
      await mailWayBack(app, session, orgId)
      auditIn(event, orgId)
    },
  }),
  'use-way-back': operation({
    description:
      'Lifts the sign-in rule or the session policy that keeps you out, by the mailed link. All owners are told.',
    method: 'POST',
    path: '/_fw/org/way-back/use',
    input: closed.extend({ token: z.string().min(1).max(200) }),
    output: z.object({ lifted: z.enum(['rule', 'policy']) }),
    audit: ['orgId', 'lifted'],
    auditsElsewhere: true,
    async run({ orgId, token }, { app, session, event }) {
      const result = await useWayBack(app, session, orgId, token)
      auditIn(event, orgId)
      return result
    },
  }),
  'get-session-policy': operation({
    description: 'Returns the session policy of your organization.',
    method: 'GET',
    path: '/_fw/org/session-policy',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: sessionPolicySchema,
    run: (_input, { app, actor }) => getSessionPolicy(app, actor),
  }),
  'set-session-policy': operation({
    description:
      'Sets how long sessions open your organization, and from which networks. A dry run lists who would be cut off now.',
    method: 'PUT',
    path: '/_fw/org/session-policy',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: policySchema,
    output: sessionPolicyPlanSchema,
    audit: {
      keep: ['idleMinutes', 'maxHours', 'networks', 'apps'],
      changes: ['idleMinutes', 'maxHours', 'networks', 'apps'],
      read: async (_input, { app, actor }) => ({ ...(await getSessionPolicy(app, actor)) }),
    },
    dryRun: true,
    run: (policy, { app, actor, isDryRun }) =>
      isDryRun ? planSessionPolicy(app, actor, policy) : setSessionPolicy(app, actor, policy),
  }),
  'list-domains': operation({
    description: 'Lists the domains of your organization, with the DNS records that prove them.',
    method: 'GET',
    path: '/_fw/org/domains',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: z.object({ domains: z.array(provedDomainSchema) }),
    run: async (_input, { app, actor }) => ({ domains: await listDomains(app, actor.orgId) }),
  }),
  'claim-domain': operation({
    description: 'Adds a domain to your organization and returns the DNS record to publish.',
    method: 'POST',
    path: '/_fw/org/domains',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: z.object({ domain }),
    output: provedDomainSchema,
    status: 201,
    audit: ['domain'],
    run: (input, { app, actor }) => claimDomain(app, actor, input.domain),
  }),
  'check-domain': operation({
    description: 'Looks for the DNS record of a domain now, and returns what the DNS answered.',
    method: 'POST',
    path: '/_fw/org/domains/:domain/check',
    permission: 'set-auth-provider',
    recentSignIn: true,
    limit: limits.domainChecksPerOrg,
    input: z.object({ domain }),
    output: checkedDomainSchema,
    audit: ['domain', 'status'],
    run: (input, { app, actor }) => checkDomain(app, actor.orgId, input.domain),
  }),
  'remove-domain': operation({
    description: 'Removes a domain from your organization.',
    method: 'DELETE',
    path: '/_fw/org/domains/:domain',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: z.object({ domain }),
    audit: ['domain'],
    run: (input, { app, actor }) => removeDomain(app, actor.orgId, input.domain),
  }),
})
