import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { DECIDED_STEPS } from '../../../shared/schemas/setup-link'
import { email, id, timestamp } from '../../kernel/database/columns'

/** The links by which the IT contact of an organization sets up single sign-on. They work until they end. */
export const setupLinks = sqliteTable(
  'fw_setup_links',
  {
    id: id(),
    orgId: text('org_id').notNull(),
    /** The contact's address. */
    email: email('email').notNull(),
    /** SHA-256 of the secret in the mailed link. */
    tokenHash: text('token_hash').notNull(),
    /** The connection that the contact sets up. */
    connectionId: text('connection_id'),
    /** Who sent it. The link is over when they may no longer prepare single sign-on. */
    createdBy: text('created_by').notNull(),
    createdAt: timestamp('created_at').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    /** The latest visit, exact to a minute. */
    lastUsedAt: timestamp('last_used_at'),
  },
  table => [
    uniqueIndex('fw_setup_links_token').on(table.tokenHash),
    index('fw_setup_links_org').on(table.orgId, table.createdAt),
    index('fw_setup_links_creator').on(table.createdBy),
    index('fw_setup_links_expires').on(table.expiresAt),
  ],
)

/** What a contact has prepared and an owner decides, one for each step. */
export const setupProposals = sqliteTable(
  'fw_setup_proposals',
  {
    linkId: text('link_id').notNull(),
    step: text('step', { enum: DECIDED_STEPS }).notNull(),
    /** New for each proposal, so that an owner confirms what they have reviewed. */
    version: text('version').notNull(),
    /** JSON: what is proposed, where other tables do not have it. */
    value: text('value').notNull(),
    proposedAt: timestamp('proposed_at').notNull(),
    confirmedBy: text('confirmed_by'),
    /** When the contact has opened what was confirmed. */
    openedAt: timestamp('opened_at'),
  },
  table => [
    primaryKey({ columns: [table.linkId, table.step] }),
    index('fw_setup_proposals_confirmer').on(table.confirmedBy),
  ],
)
