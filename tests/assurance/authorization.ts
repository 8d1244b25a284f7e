import { documented, type Requirement, tested } from './requirement'

export const authorization: readonly Requirement[] = [
  documented('8.1.1', 'It is documented who may do what with what.', [
    'docs/guides/organizations.md#who-may-do-what-to-the-team',
    'docs/guides/organizations.md#three-kinds-of-roles',
  ]),
  documented('8.1.2', 'It is documented who sees and changes which fields.', [
    'docs/guides/collections.md',
    'docs/guides/vault.md',
  ]),
  tested('8.2.1', 'Functions are for those who may use them.', [
    'unit/domains/organizations/org-matrix › organization permissions as %s › %s',
    'http/actions › returns 401 without a session and stores no note and no audit row',
    'unit/domains/actions/run-action › denies when the guard returns %j',
    'unit/domains/organizations/app-roles › allows only an explicit assignment, and denies owners, the default role and other roles',
  ]),
  tested('8.2.2', 'Rows are for those who may see them.', [
    'unit/domains/organizations/sharing › is the same in lists and for single rows, for every person and role',
    'http/devices › returns 404 for sessions of other people and for invalid ids, and ends none',
    'http/org-invitations › returns 404 for another person’s invitation and reveals nothing',
  ]),
  tested('8.2.3', 'Fields are for those who may see or set them.', [
    'unit/domains/organizations/vault/vault-requests › stores, lists, tests, replaces and deletes a credential without returning its value',
    'unit/domains/collections/serving › returns only the declared fields of its items',
    'unit/domains/actions/run-action › validates the result and keeps details of a mismatch private',
    'http/sessions › returns the session without a token and with Cache-Control no-store',
  ]),
  tested('8.3.1', 'The server decides.', [
    'unit/domains/organizations/org-matrix › organization permissions as %s › %s',
    'unit/domains/organizations/organizations › loses the admin’s rights as soon as they are demoted',
  ]),
  tested('8.4.1', 'Organizations never reach each other.', [
    'http/org-scoping › actions never read or change rows of another organization',
    'unit/domains/organizations/sharing › is limited to the organization of the row, for owners and readers',
    'unit/domains/organizations/vault/vault › of another organization or person returns credential-required',
    'unit/domains/mcp/scopes › works in its own organization, whichever is active in a browser, until the person leaves it',
  ]),
]
