import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { emailSchema } from '#fairway/shared/schemas/email'
import { nameSchema } from '#fairway/shared/schemas/name'
import { teamHoldersSchema, teamSchema, wholeTeamSchema } from '#fairway/shared/schemas/team'
import { deleteTeam, planTeamEnd } from './teams/delete-team'
import { addTeam, getTeam, listTeams, renameTeam, setTeamMembers } from './teams/teams'

const MOST_PEOPLE = 1000

const id = z.string().max(64)
const name = nameSchema(60)
const unique = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .max(MOST_PEOPLE)
    .transform(all => [...new Set(all)])

export default defineOperations({
  'list-teams': operation({
    description: 'Lists the teams of your organization with the first people of each.',
    method: 'GET',
    path: '/_fw/org/teams',
    openIn: ['view'],
    permission: 'read-organization',
    output: z.object({ teams: z.array(teamSchema) }),
    run: async (_input, { app, actor }) => ({ teams: await listTeams(app, actor.orgId) }),
  }),
  'get-team': operation({
    description: 'Returns a team with everyone in it.',
    method: 'GET',
    path: '/_fw/org/teams/:id',
    openIn: ['view'],
    permission: 'read-organization',
    input: z.object({ id }),
    output: wholeTeamSchema,
    run: ({ id: team }, { app, actor }) => getTeam(app, actor.orgId, team),
  }),
  'add-team': operation({
    description: 'Makes a team. Its name must be unique in your organization.',
    method: 'POST',
    path: '/_fw/org/teams',
    permission: 'manage-teams',
    input: z.object({ name }),
    output: z.object({ id: z.string() }),
    status: 201,
    audit: ['name', 'id'],
    run: (input, { app, actor }) => addTeam(app, actor, input.name),
  }),
  'rename-team': operation({
    description: 'Renames a team.',
    method: 'PATCH',
    path: '/_fw/org/teams/:id',
    permission: 'manage-teams',
    input: z.object({ id, name }),
    audit: ['id', 'name'],
    run: (input, { app, actor }) => renameTeam(app, actor, input.id, input.name),
  }),
  'set-team-members': operation({
    description:
      'Sets everyone who is in a team: the addresses of members, and the IDs of service accounts. Wrong entries change nothing.',
    method: 'PUT',
    path: '/_fw/org/teams/:id/members',
    permission: 'manage-teams',
    input: z.object({ id, members: unique(emailSchema), serviceAccounts: unique(id).optional() }),
    output: z.object({ name: z.string(), added: z.array(z.string()), removed: z.array(z.string()) }),
    audit: ['id', 'name', 'added', 'removed'],
    run: ({ id: team, ...wanted }, { app, actor }) => setTeamMembers(app, actor, team, wanted),
  }),
  'delete-team': operation({
    description:
      'Deletes a team with its shares. One that holds something requires `confirm`. A dry run returns what it holds.',
    method: 'DELETE',
    path: '/_fw/org/teams/:id',
    permission: 'manage-teams',
    input: z.object({ id, confirm: z.boolean().default(false) }),
    output: z.object({ name: z.string(), holders: teamHoldersSchema }),
    audit: ['id', 'name', 'confirm'],
    dryRun: true,
    run: (input, { app, actor, isDryRun }) =>
      isDryRun ? planTeamEnd(app, actor, input.id) : deleteTeam(app, actor, input),
  }),
})
