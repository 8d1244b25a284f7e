import { absent, designed, type Requirement, tested } from './requirement'

export const encoding: readonly Requirement[] = [
  tested('1.1.1', 'Input is decoded once, before it is checked.', [
    'unit/domains/collections/query › parseQuery › normalizes %s to %s',
    'http/rate-limits › is limited to ten per hour and network, regardless of the path’s spelling',
  ]),
  tested('1.1.2', 'Output is escaped last, where it is interpreted.', [
    'unit/domains/oauth-server/authorize › escapes the app’s name',
    'http/org-limits › contain no user-supplied text in the subject except plain names of the inviter and organization',
  ]),
  tested('1.2.1', 'What goes into HTML and headers is escaped for its place.', [
    'unit/domains/sign-in/sign-in › escapes the input',
    'unit/domains/oauth-server/authorize › does not render request parameters as markup',
  ]),
  tested('1.2.2', 'URLs are built with encoded parts and safe schemes.', [
    'unit/shared/return-path › returns / for %j',
    'unit/domains/oauth-server/redirect-uri › rejects %s',
    'unit/domains/collections/query › builds page links from the query %j',
  ]),
  tested('1.2.3', 'Nothing of a visitor is built into scripts or JSON by hand.', [
    'http/shell › have the same bytes and headers for every visitor: %s',
    'http/shell › do not include the query',
  ]),
  tested('1.2.4', 'Queries bind their values.', [
    'unit/domains/organizations/organizations › is listed with pages, search, role filter and sort order, and wildcards are treated as text',
    'unit/domains/collections/sql/offset-page › search for literal text, ignoring case',
    'http/collections/random-queries › returns no failure for ${RUNS} random queries, and a page for every link in a response',
  ]),
  designed(
    '1.2.5',
    'No command line is put together from input.',
    'The server starts no process. The command line starts one, the browser, with a list of arguments and no shell (`layers/fairway/cli/browser.ts`).',
  ),
  absent('1.2.6', 'LDAP is safe from injection.', 'There is no LDAP.'),
  absent('1.2.7', 'XPath is safe from injection.', 'There is no XPath.'),
  absent('1.2.8', 'LaTeX is processed safely.', 'There is no LaTeX.'),
  designed(
    '1.2.9',
    'Text is escaped before it becomes a regular expression.',
    'No regular expression is made from input; the three that are made while running come from constants and names of tables, by `RegExp.escape`.',
  ),
  absent('1.3.1', 'HTML from editors is sanitized.', 'No HTML of people is accepted: every text is shown as text.'),
  tested('1.3.2', 'Nothing evaluates code.', ['http/shell › allow only their own inline scripts, by hash']),
  tested('1.3.3', 'Text is cut and cleaned before it reaches a dangerous place.', [
    'unit/domains/actions/peer-calls/approvals › truncates long values and removes invisible characters',
    'unit/domains/organizations/organizations › returns 400 for %j and stores nothing',
  ]),
  absent('1.3.4', 'SVG of people is sanitized.', 'No file of people is accepted.'),
  absent('1.3.5', 'Markup of people, such as Markdown, is sanitized.', 'Texts are shown as text, in no markup.'),
  tested('1.3.6', 'Addresses from outside are fetched only within limits.', [
    'unit/kernel/http/guarded-fetch › refuses %s without a connection',
    'unit/kernel/http/guarded-fetch › refuses a name that resolves to %s without a connection',
    'unit/kernel/http/guarded-fetch › connects only to the addresses that it checked, even if the name changes',
    'unit/kernel/http/public-address › refuses %s',
    'unit/domains/webhooks/webhooks › can use an origin of FW_WEBHOOK_ORIGINS only when an operator sets it',
    'unit/domains/webhooks/webhooks › fails with the same error when it is internal as when its host does not exist',
  ]),
  designed('1.3.7', 'No template is made from input.', 'Templates are Vue components and JSX, compiled by the build.'),
  absent('1.3.8', 'JNDI is safe from injection.', 'There is no JNDI.'),
  absent('1.3.9', 'What goes to memcache is cleaned.', 'There is no memcache.'),
  absent('1.3.10', 'Format strings are not made from input.', 'There are no format strings: log lines are JSON.'),
  tested('1.3.11', 'Nothing of people changes a mail beyond its text.', [
    'unit/kernel/mail/mail › returns the same content as text and HTML, without markup and line breaks from names',
    'http/mail-sign-in › returns 400 for %j and sends no email',
  ]),
  absent('1.4.1', 'Memory is copied safely.', 'JavaScript manages memory; no native code is ours.'),
  tested('1.4.2', 'Numbers are kept within their range.', [
    'unit/kernel/database/selects › throws for an integer that a number cannot hold',
    'unit/domains/collections/query › readSelection › rejects %s',
  ]),
  absent('1.4.3', 'Memory is freed once.', 'JavaScript manages memory; no native code is ours.'),
  absent('1.5.1', 'XML parsers resolve no entities.', 'No XML is parsed.'),
  tested('1.5.2', 'Only plain data is deserialized, by a schema.', [
    'http/actions › ignores __proto__ and unknown names in query and body',
    'http/actions › returns the matching error code and stores nothing for %j',
  ]),
]
