import { designed, documented, missing, operators, type Requirement, tested } from './requirement'

export const logging: readonly Requirement[] = [
  documented(
    '16.1.1',
    'It is documented what is logged where, and for how long.',
    ['docs/guides/devices.md#the-log', 'docs/guides/operations.md'],
    'How long lines on standard output are kept, the operator decides.',
  ),
  tested('16.2.1', 'Lines say when, where, who and what.', [
    'unit/kernel/events/log › writes one JSON object a line, with time, level and message',
    'http/audit-log › says who did what by which surface, and is exported by admins',
  ]),
  tested(
    '16.2.2',
    'Times are in UTC.',
    ['unit/kernel/events/log › writes one JSON object a line, with time, level and message'],
    'That the clock is right is the operator’s part.',
  ),
  designed(
    '16.2.3',
    'Logs go where it is documented.',
    'The log is standard output; audit rows and security events are tables.',
  ),
  tested('16.2.4', 'Logs can be read by programs.', [
    'unit/kernel/events/log › writes one JSON object a line, with time, level and message',
  ]),
  tested('16.2.5', 'Logs hold no secrets.', [
    'http/log-secrecy › holds no password, cookie, token, code, Authorization value or address, also when everything is written',
    'http/log-secrecy › holds none either when the database or the mail server fails in the middle',
    'unit/kernel/events/log › takes secrets and addresses out of the text %j',
  ]),
  missing(
    '16.3.1',
    'Every sign-in is logged, whether it succeeded or not.',
    'A sign-in leaves a session with its way and time, and those at providers and the hub that fail are security events; wrong passwords and codes are counted and not logged.',
  ),
  tested('16.3.2', 'Refusals are logged.', [
    'unit/domains/actions/run-action › denies when the guard returns %j',
    'unit/domains/actions/run-action › refuses input that is nested too deeply and leaves an audit row, called by %s',
    'http/audit-log › says who did what by which surface, and is exported by admins',
  ]),
  tested('16.3.3', 'What is defined as a security event is logged.', [
    'unit/kernel/security-events/security-events › are stored, logged and counted by kind and hour',
    'http/provider-sign-in › writes one line with its kind, the provider and the client address, and nothing secret',
    'unit/domains/oauth-server/hub/redeem-code › is refused the second time, which operators see',
  ]),
  tested('16.3.4', 'Failures that nobody foresaw are logged.', [
    'unit/domains/mcp/tools › tells nothing of what was not foreseen but the id that finds it in the log',
    'unit/domains/sessions/custom-session › that answers %s opens nothing: 500, and the log has why without the value',
  ]),
  tested('16.4.1', 'Nobody writes lines of their own into the log.', [
    'unit/kernel/events/log › keeps a text with line breaks on one line',
  ]),
  tested(
    '16.4.2',
    'Logs cannot be changed.',
    [
      'unit/domains/actions/audit/audit-log › refuses to change and to delete what is chained',
      'unit/domains/actions/audit/audit-log › shows a row that was %s',
      'unit/domains/actions/audit/audit-log › is read by owners and admins of the organization, filtered and exported, and by nobody else',
    ],
    'Lines on standard output are protected by whoever keeps them.',
  ),
  operators(
    '16.4.3',
    'Logs are kept on another system.',
    'Standard output is taken wherever the operator wants; audit rows and events can be exported.',
  ),
  tested('16.5.1', 'Failures tell nothing from inside.', [
    'unit/kernel/http/problem › says nothing of the inside of a failure',
    'unit/domains/mcp/documents › tell nothing of what was not foreseen',
    'unit/kernel/database/client › tells no parameters',
  ]),
  tested('16.5.2', 'What others fail at does not stop the rest.', [
    'http/identity-client › because it says nothing, or stops midway, is given up, and nobody else waits',
    'http/org-auth-provider › with one that does not answer is refused in seconds, and hurts no other way to sign in',
    'unit/kernel/mail/mail › does not wait for a mail server that says nothing, and seals what waits',
  ]),
  tested('16.5.3', 'A failure opens nothing.', [
    'unit/domains/sessions/custom-session › that throws opens nothing',
    'unit/domains/organizations/app-roles › lets a database error through: it is no denial',
    'unit/domains/organizations/org-context › is never made up when %s cannot be read: the error is told',
  ]),
]
