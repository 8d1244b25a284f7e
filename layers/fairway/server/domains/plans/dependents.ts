import type { DependentRows } from '#fairway/server/kernel/dependent-rows'

/** The plan of an organization, which ends with it. */
export const plansRows: DependentRows = {
  forgetOrganization: ({ sql, args }) => [{ sql: `delete from fw_organization_plans where ${sql}`, args }],
}
