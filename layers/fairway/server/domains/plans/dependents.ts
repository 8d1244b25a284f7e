import type { DependentRows } from '#fairway/server/kernel/dependent-rows'

/** What ends with an organization: its plan. */
export const plansRows: DependentRows = {
  forgetOrganization: ({ sql, args }) => [{ sql: `delete from fw_organization_plans where ${sql}`, args }],
}
