import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { emailSchema } from '#fairway/shared/schemas/email'
import { DECIDED_STEPS, MOST_SETUP_DAYS, setupLinkSchema, setupPlanSchema } from '#fairway/shared/schemas/setup-link'
import { addLink, endLink, listLinks, requireLink } from './links'
import { markConfirmed } from './proposals'
import { decidingStep } from './steps'
import { readSetup } from './visit'

const named = z.object({ id: z.string().max(64) })

export default defineOperations({
  'list-setup-links': operation({
    description: 'Lists the open setup links of your organization, with the steps that wait for an owner.',
    method: 'GET',
    path: '/_fw/org/setup-links',
    openIn: ['view'],
    permission: 'set-auth-provider',
    output: z.object({ links: z.array(setupLinkSchema) }),
    run: async (_input, { app, actor }) => ({ links: await listLinks(app, actor.orgId) }),
  }),
  'add-setup-link': operation({
    description: 'Mails somebody without an account a page where they prepare single sign-on for your organization.',
    method: 'POST',
    path: '/_fw/org/setup-links',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: z.object({ email: emailSchema, days: z.int().min(1).max(MOST_SETUP_DAYS).default(7) }),
    output: setupLinkSchema,
    status: 201,
    audit: ['id', 'email', 'days'],
    run: (input, { app, actor, event }) => addLink(app, actor, input, requestInfo(event).clientAddress),
  }),
  'end-setup-link': operation({
    description: 'Ends a setup link at once, with what waits for an owner.',
    method: 'DELETE',
    path: '/_fw/org/setup-links/:id',
    permission: 'set-auth-provider',
    recentSignIn: true,
    input: named,
    audit: ['id'],
    run: ({ id }, { app, actor }) => endLink(app, actor.orgId, id),
  }),
  'confirm-setup-step': operation({
    description:
      'Confirms a step that was prepared by a setup link. A dry run shows what it does, and whom it would cut off.',
    method: 'POST',
    path: '/_fw/org/setup-links/:id/confirm',
    permission: 'decide-sign-in',
    recentSignIn: true,
    input: named.extend({
      step: z.enum(DECIDED_STEPS),
      version: z.string().max(64).optional().describe('Of the dry run: a later proposal is refused.'),
    }),
    output: setupPlanSchema,
    audit: ['id', 'step'],
    dryRun: true,
    async run({ id, step: name, version }, { app, actor, isDryRun }) {
      const setup = await readSetup(app, await requireLink(app, actor.orgId, id))
      const proposal = setup.proposals[name]
      if (proposal?.confirmedBy !== null) throw new AppError('not-found', { detail: 'This step does not wait.' })
      if (version !== undefined && version !== proposal.version) throw new AppError('conflict')
      const step = decidingStep(name)
      const plan = await step.plan(app, actor, { setup, proposal })
      if (!isDryRun) {
        await step.confirm(app, actor, { setup, proposal })
        await markConfirmed(app, id, proposal, actor.userId)
      }
      const nothing = { connection: null, people: null, directory: null, policy: null, agents: null }
      return { ...nothing, ...plan, step: name, version: proposal.version }
    },
  }),
})
