import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { limits } from '#fairway/server/kernel/limits/limits'
import { checkedDomainSchema, provedDomainSchema } from '#fairway/shared/schemas/domain'
import { checkDomain, claimDomain, listDomains, removeDomain } from './proved-domains'

const domain = z.string().max(300)

export default defineOperations({
  'list-domains': operation({
    description: 'Lists the domains of your organization, with the DNS records that prove them.',
    method: 'GET',
    path: '/_fw/org/domains',
    openIn: ['view'],
    permission: 'prepare-single-sign-on',
    output: z.object({ domains: z.array(provedDomainSchema) }),
    run: async (_input, { app, actor }) => ({ domains: await listDomains(app, actor.orgId) }),
  }),
  'claim-domain': operation({
    description: 'Adds a domain to your organization and returns the DNS record to publish.',
    method: 'POST',
    path: '/_fw/org/domains',
    permission: 'prepare-single-sign-on',
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
    permission: 'prepare-single-sign-on',
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
    permission: 'prepare-single-sign-on',
    recentSignIn: true,
    input: z.object({ domain }),
    audit: ['domain'],
    run: (input, { app, actor }) => removeDomain(app, actor.orgId, input.domain),
  }),
})
