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
    'http/org-matrix › as %s › %s',
    'http/actions › nobody without a session, and no row is left of it',
    'unit/domains/actions/run-action › denies when the guard returns %j',
    'unit/domains/organizations/app-roles › lets in an explicit assignment only: no owner, no default role, no other role',
  ]),
  tested('8.2.2', 'Rows are for those who may see them.', [
    'unit/domains/organizations/sharing › agree, for everybody and every role',
    'http/devices › is 404 for those of other people and for nonsense, and ends nothing',
    "http/org-invitations › of another person's invitation answers 404 and teaches nothing",
  ]),
  tested('8.2.3', 'Fields are for those who may see or set them.', [
    'http/vault › takes, lists, tests, replaces and deletes a credential without ever answering its value',
    'unit/domains/collections/serving › gives the declared fields of its items and nothing else',
    'unit/domains/actions/run-action › checks the result and keeps what did not fit to itself',
    'http/sessions › gives the facts and never a token, and is not stored',
  ]),
  tested('8.3.1', 'The server decides.', [
    'http/org-matrix › as %s › %s',
    'http/organizations › of a demoted admin loses its rights at once',
  ]),
  tested('8.4.1', 'Organizations never reach each other.', [
    'http/org-scoping › no row crosses organizations, through any action',
    'unit/domains/organizations/sharing › stay in their organization: neither owner nor reader sees them from another one',
    'unit/domains/organizations/vault/vault › of another organization or person is not there',
    'unit/domains/mcp/scopes › works in its own organization, whichever is active in a browser, until the person leaves it',
  ]),
]
