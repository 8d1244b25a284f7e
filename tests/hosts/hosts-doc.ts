import { HOST_RULES, RECORDED_HOSTS } from '#fairway/cli/hosts/host-rules'
import { clients } from './clients'
import { type Host, rowsOf, type Step, STEPS, titleOf } from './host'
import { sequences } from './sequences'

/** Every row of the table, released clients first. */
export const hosts: readonly Host[] = [...clients, ...sequences.flatMap(rowsOf)]

/** The text of docs/hosts.md. `isGood` returns whether a step of a host (by its title) passed. */
export function hostsDoc(isGood: (title: string, step: Step) => boolean): string {
  const steps = Object.keys(STEPS) as Step[]
  const cell = (host: Host, step: Step) => {
    if (!isGood(titleOf(host), step)) return '✗'
    if (step === 'fewer') return host.asksForMore ? 'asks' : 'told'
    return step === 'client' ? host.client : '✓'
  }
  const table = (kind: Host['kind']) =>
    [
      ['host', 'version', 'tested', ...steps],
      ['---', '---', '---', ...steps.map(() => '---')],
      ...hosts
        .filter(host => host.kind === kind)
        .map(host => [host.name, host.version, host.tested, ...steps.map(step => cell(host, step))]),
    ]
      .map(cells => `| ${cells.join(' | ')} |`)
      .join('\n')
  const rules = HOST_RULES.map(({ host, effect, why, recorded, source }) => {
    const { title, version } = RECORDED_HOSTS[host]
    return `| ${[`${title} ${version}`, effect, why, recorded, source].join(' | ')} |`
  })
  return `---
task: Connect hosts and services
order: 900
---

<!-- Written by \`npm run hosts\` from tests/hosts. Do not edit. -->

# Hosts

See which hosts connect to \`/mcp\`, step by step. \`npm run hosts\` tests all of them and writes this page. \`npm test\` runs the sequences too. To connect a host, see [the endpoint for MCP hosts](guides/mcp.md).

| step | what the host does |
|---|---|
${steps.map(step => `| ${step} | ${STEPS[step]} |`).join('\n')}

## Released clients

These are the real programs and libraries, in the versions of \`tests/hosts/clients/package-lock.json\`. Most hosts use one of these libraries.

${table('client')}

## Sequences

Some hosts are too large to install in a test, or run only on their vendor's servers. The tests send the same requests in the same order instead. The column *tested* says what they were recorded from and when. The file of each host in \`tests/hosts\` names the sources.

- *document*: the host identifies itself by the metadata document that its vendor publishes, in the same words.
- *registered*: the host registers itself first.

Documents of hosts are on public servers, which a test can't reach. In these rows everything is real except fetching the document. ChatGPT signs its token requests. Only OpenAI has its key, so the test signs with its own and publishes that at ChatGPT's address.

${table('sequence')}

*parallel* and *refresh* use expired access tokens that the server signed. For *fewer*, the person unticks writing. Reading still works. Other calls return 403 with \`insufficient_scope\`, the granted scopes and the required ones.

- A host that *asks* requests the missing scope from the person and continues.
- A host that is *told* shows the refusal. To add the scope, connect it again.

## What hosts do to tools

\`npx fw hosts\` compares your tools with this table. \`tests/hosts/record-tools.ts\` made the recordings: it runs a released host without a network, and compares the tools that the host sends to a model with those of the server. Closed hosts have dated reports instead, and VS Code its released source code.

| host | effect | why | recorded | source |
| --- | --- | --- | --- | --- |
${rules.join('\n')}

- A host that *refuses* keeps all of your tools away; one that *hides* keeps the named tool away.
- The other effects let your tool arrive. *cuts* loses a text, *rewrites* changes the input, *groups* delays tools, *renames* changes a name, *ignores* drops limits of fields, and *asks* asks the person before each call.
`
}
