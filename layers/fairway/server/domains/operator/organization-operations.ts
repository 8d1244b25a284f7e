// The organizations of an installation.
import { z } from 'zod'
import { auditIn, defineOperations, operation } from '#fairway/server/domains/actions'
import {
  deleteForOwners,
  findOrganization,
  listOrganizations,
  restoreForOwners,
} from '#fairway/server/domains/organizations'
import { changePlan, plansOfMany, showPlan } from '#fairway/server/domains/plans'
import { countedShape } from '#fairway/server/kernel/database/read-sorted'
import {
  ORGANIZATION_ORDERS,
  organizationDetailsForOperatorsSchema,
  organizationsPageSchema,
} from '#fairway/shared/schemas/operator'
import { organizationDeletionSchema, organizationEntrySchema } from '#fairway/shared/schemas/organization'

const input = z.object({ orgId: z.string().max(100) })

export default defineOperations({
  'list-organizations': operation({
    description: 'Lists the organizations of the installation with their plans, by default newest first, 50 a page.',
    method: 'GET',
    path: '/_fw/operator/organizations',
    permission: 'operator',
    tokens: true,
    input: z.object({ search: z.string().max(200).optional(), ...countedShape(ORGANIZATION_ORDERS) }),
    output: organizationsPageSchema,
    async run(query, { app }) {
      const { organizations, ...page } = await listOrganizations(app, query)
      const plans = await plansOfMany(
        app,
        organizations.map(({ id }) => id),
      )
      return { organizations: organizations.map(each => ({ ...each, plan: plans.get(each.id) ?? null })), ...page }
    },
  }),
  'show-organization': operation({
    description: 'Returns one organization: its members, its plan and what it uses.',
    method: 'GET',
    path: '/_fw/operator/organizations/:orgId',
    permission: 'operator',
    tokens: true,
    input,
    output: organizationDetailsForOperatorsSchema,
    run: async ({ orgId }, { app }) => ({
      ...(await findOrganization(app, orgId)),
      plan: await showPlan(app, orgId),
      plans: Object.entries(app.config.plans?.plans ?? {}).map(([name, { title }]) => ({ name, title })),
    }),
  }),
  'set-plan': operation({
    description: 'Changes the plan of an organization.',
    method: 'PUT',
    path: '/_fw/operator/organizations/:orgId/plan',
    permission: 'operator',
    tokens: true,
    input: z.object({ ...input.shape, plan: z.string().max(100), until: z.iso.datetime({ offset: true }).nullish() }),
    output: z.object({ isChanged: z.boolean() }),
    audit: ['orgId', 'plan', 'until'],
    auditsElsewhere: true,
    async run({ orgId, plan, until }, { app, event }) {
      const isChanged = await changePlan(app, app.db.orm, orgId, plan, { until: until ? new Date(until) : null })
      auditIn(event, orgId)
      return { isChanged }
    },
  }),
  'delete-any-organization': operation({
    description: 'Deletes an organization for its owners. Its name must be typed.',
    method: 'DELETE',
    path: '/_fw/operator/organizations/:orgId',
    permission: 'operator',
    recentSignIn: true,
    input: z.object({ ...input.shape, name: z.string().max(200) }),
    output: organizationDeletionSchema,
    audit: ['orgId'],
    auditsElsewhere: true,
    dryRun: true,
    async run({ orgId, name }, { app, session, event, isDryRun }) {
      const deletion = await deleteForOwners(app, { session, orgId, name, isDryRun })
      auditIn(event, orgId)
      return deletion
    },
  }),
  'restore-any-organization': operation({
    description: 'Restores a deleted organization for its owners, within the grace period.',
    method: 'POST',
    path: '/_fw/operator/organizations/:orgId/restore',
    permission: 'operator',
    recentSignIn: true,
    input,
    output: organizationEntrySchema,
    audit: ['orgId'],
    auditsElsewhere: true,
    async run({ orgId }, { app, event }) {
      const organization = await restoreForOwners(app, orgId)
      auditIn(event, orgId)
      return organization
    },
  }),
})
