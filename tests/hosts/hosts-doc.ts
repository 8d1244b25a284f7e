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
      ['host', 'version', ...steps],
      ['---', '---', ...steps.map(() => '---')],
      ...hosts
        .filter(host => host.kind === kind)
        .map(host => [host.name, host.version, ...steps.map(step => cell(host, step))]),
    ]
      .map(cells => `| ${cells.join(' | ')} |`)
      .join('\n')
  return `<!-- Written by \`npm run hosts\` from tests/hosts. Do not edit. -->

# Hosts

Which hosts connect to \`/mcp\`, step by step. \`npm run hosts\` tries them all and writes this page; the sequences run with \`npm test\` as well. How a host is told of this server: [the endpoint for MCP hosts](guides/mcp.md).

| step | a host … |
|---|---|
${steps.map(step => `| ${step} | ${STEPS[step]} |`).join('\n')}

## Released clients

The programs and libraries themselves, in the versions of \`tests/hosts/clients/package-lock.json\`. Most hosts are built on one of the libraries.

${table('client')}

## Sequences

Hosts that are no small package, or that run on somebody else’s computers: their requests, in their order, with what is particular to each. The file of a host in \`tests/hosts\` says where that was seen. *document*: the server offers metadata documents, as it does at an https address; *registered*: it does not, or the host has none. Documents of hosts lie on public servers that a test has none of, so these rows meet the routes of the server in the process of the test, with everything real but the fetching of the document.

${table('sequence')}

*parallel* and *refresh* use access tokens that are signed by the server and over. *fewer*: the person unticks writing. Reading goes on; what the host was not given is answered with 403 and \`insufficient_scope\`, naming what it has and what it needs. One that *asks* lets the person agree to that, and goes on; one that is *told* passes the refusal on, as far as is known, and is connected anew by hand.
`
}
