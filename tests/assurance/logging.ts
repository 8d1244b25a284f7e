import { designed, documented, missing, operators, type Requirement, tested } from './requirement'

export const logging: readonly Requirement[] = [
  documented(
    '16.1.1',
    'It is documented what is logged where, and for how long.',
    ['docs/guides/devices.md#the-log', 'docs/guides/operations.md'],
    'How long lines on standard output are kept, the operator decides.',
  ),
  tested('16.2.1', 'Lines say when, where, who and what.', [
    'unit/kernel/events/log › writes one JSON object per line with time, level and message',
    'http/audit-log › lists and exports who did what through which caller, and returns 403 to members',
  ]),
  tested(
    '16.2.2',
    'Times are in UTC.',
    ['unit/kernel/events/log › writes one JSON object per line with time, level and message'],
    'That the clock is right is the operator’s part.',
  ),
  designed(
    '16.2.3',
    'Logs go where it is documented.',
    'The log is standard output; audit rows and security events are tables.',
  ),
  tested('16.2.4', 'Logs can be read by programs.', [
    'unit/kernel/events/log › writes one JSON object per line with time, level and message',
  ]),
  tested('16.2.5', 'Logs hold no secrets.', [
    'http/log-secrecy › contains no passwords, cookies, tokens, codes, Authorization values or addresses, even at debug level',
    'http/log-secrecy › contains no secrets when the database or the mail server fails',
    'unit/kernel/events/log › removes secrets and addresses from the text %j',
  ]),
  missing(
    '16.3.1',
    'Every sign-in is logged, whether it succeeded or not.',
    'A sign-in leaves a session with its way and time, and those at providers and the hub that fail are security events; wrong passwords and codes are counted and not logged.',
  ),
  tested('16.3.2', 'Refusals are logged.', [
    'unit/domains/actions/run-action › denies when the guard returns %j',
    'unit/domains/actions/run-action › rejects deeply nested input and writes an audit row when called by %s',
    'http/audit-log › lists and exports who did what through which caller, and returns 403 to members',
  ]),
  tested('16.3.3', 'What is defined as a security event is logged.', [
    'unit/kernel/security-events/security-events › are stored, logged and counted by kind and hour',
    'http/provider-sign-in › writes one log line with its kind, the provider and the client address, without secrets',
    'unit/domains/oauth-server/hub/redeem-code › is rejected on second use, and records a security event',
  ]),
  tested('16.3.4', 'Unexpected failures are logged.', [
    'unit/domains/mcp/tools › hides the details of unexpected errors and returns the request id of the log entry',
    'unit/domains/sessions/custom-session › returns 500 when its result is %s, and logs the reason without the value',
  ]),
  tested('16.4.1', 'Input cannot add lines to the log.', [
    'unit/kernel/events/log › keeps a text with line breaks on one line',
  ]),
  tested(
    '16.4.2',
    'Logs cannot be changed.',
    [
      'unit/domains/actions/audit/audit-log › rejects updates and deletions of chained rows',
      'unit/domains/actions/audit/audit-log › detects a row that was %s',
      'unit/domains/actions/audit/audit-log › lets owners of the organization list, filter and export it, and denies members',
    ],
    'The system that stores standard output protects it.',
  ),
  operators(
    '16.4.3',
    'Logs are kept on another system.',
    'The operator decides where standard output goes. Audit rows and events can be exported.',
  ),
  tested('16.5.1', 'Failures tell nothing from inside.', [
    'unit/kernel/http/problem › hides internal details of a failure',
    'unit/domains/mcp/documents › hide the details of unexpected errors',
    'unit/kernel/database/client › contains no parameters',
  ]),
  tested('16.5.2', 'What others fail at does not stop the rest.', [
    'http/silent-peers › as the identity hub, delays only its own sign-ins, and not for long',
    'http/silent-peers › as a provider, delays only its own sign-ins, and not for long',
    'unit/kernel/mail/mail › does not wait for a silent mail server and seals waiting mails',
  ]),
  tested('16.5.3', 'A failure grants no access.', [
    'unit/domains/sessions/custom-session › returns 500 without details when it throws',
    'unit/domains/organizations/app-roles › passes a database error on instead of denying access',
    'unit/domains/organizations/org-context › is not created when %s cannot be read, which throws an error',
  ]),
]
