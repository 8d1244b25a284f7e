import { absent, designed, type Requirement, tested } from './requirement'

export const encoding: readonly Requirement[] = [
  tested('1.1.1', 'Input is decoded once, before it is checked.', [
    'unit/domains/collections/query › a query › %s is written %s',
    'http/rate-limits › is allowed ten times an hour from one network, whatever the path looks like',
  ]),
  tested('1.1.2', 'Output is escaped last, where it is interpreted.', [
    'http/oauth-authorize › shows a name as text',
    'http/org-limits › no subject says a word of people, but the plain names of who invites to where',
  ]),
  tested('1.2.1', 'What goes into HTML and headers is escaped for its place.', [
    'http/sign-in › escapes what was typed',
    'http/oauth-authorize › in which nothing of the address becomes markup',
  ]),
  tested('1.2.2', 'URLs are built with encoded parts and safe schemes.', [
    'unit/shared/return-path › gives / for %j',
    'unit/domains/oauth-server/redirect-uri › is never %s',
    'unit/domains/collections/query › of %j are built on it',
  ]),
  tested('1.2.3', 'Nothing of a visitor is built into scripts or JSON by hand.', [
    'http/shell › are the same bytes and headers for every visitor: %s',
    'http/shell › do not repeat the query',
  ]),
  tested('1.2.4', 'Queries bind their values.', [
    'http/organizations › lists pages, searches by name and address, and takes wildcards as text',
    'unit/domains/collections/sql/offset-page › search for a text as it is, ignoring case',
    'http/collections/random-queries › answers ${RUNS} random queries without a failure, and every link of an answer with a page',
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
    'unit/domains/actions/peer-calls/approvals › cuts long values and shows nothing that hides',
    'http/organizations › refuses %j and stores nothing',
  ]),
  absent('1.3.4', 'SVG of people is sanitized.', 'No file of people is accepted.'),
  absent('1.3.5', 'Markup of people, such as Markdown, is sanitized.', 'Texts are shown as text, in no markup.'),
  tested('1.3.6', 'Addresses that others name are asked only within limits.', [
    'unit/kernel/http/guarded-fetch › asks nobody for %s',
    'unit/kernel/http/guarded-fetch › asks nobody when the name means %s',
    'unit/kernel/http/guarded-fetch › comes from the addresses that were checked, whatever the name means a moment later',
    'unit/kernel/http/public-address › refuses %s',
    'unit/domains/webhooks/webhooks › of FW_WEBHOOK_ORIGINS can be named by operators only',
    'unit/domains/webhooks/webhooks › inside of our network fails with the same words as a name that does not exist',
  ]),
  designed('1.3.7', 'No template is made from input.', 'Templates are Vue components and JSX, compiled by the build.'),
  absent('1.3.8', 'JNDI is safe from injection.', 'There is no JNDI.'),
  absent('1.3.9', 'What goes to memcache is cleaned.', 'There is no memcache.'),
  absent('1.3.10', 'Format strings are not made from input.', 'There are no format strings: log lines are JSON.'),
  tested('1.3.11', 'Nothing of people changes a mail beyond its text.', [
    'unit/kernel/mail/mail › says the same as text and as HTML, and lets no name speak for us',
    'http/mail-sign-in › is refused for %j and nothing is sent',
  ]),
  absent('1.4.1', 'Memory is copied safely.', 'JavaScript manages memory; no native code is ours.'),
  tested('1.4.2', 'Numbers are kept within their range.', [
    'unit/kernel/database/selects › throws for an integer that a number cannot hold',
    'unit/domains/collections/query › odd values › %s is refused',
  ]),
  absent('1.4.3', 'Memory is freed once.', 'JavaScript manages memory; no native code is ours.'),
  absent('1.5.1', 'XML parsers resolve no entities.', 'No XML is parsed.'),
  tested('1.5.2', 'Only plain data is deserialized, by a schema.', [
    'http/actions › ignores __proto__ and unknown names in query and body',
    'http/actions › gets its code and stores nothing: %j',
  ]),
]
