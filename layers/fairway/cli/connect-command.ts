import { defineCommand } from 'citty'
import { HOST_IDS } from './names'
import { endWith } from './terminal'

/** `fw connect`: writes the address of the endpoint into the configuration of an MCP host on this machine. */
export const connectCommand = defineCommand({
  meta: { name: 'connect', description: 'Add an MCP endpoint to a host on this machine.' },
  args: {
    url: {
      type: 'positional',
      required: false,
      description: 'The endpoint; without it, the application of this folder.',
    },
    client: { type: 'string', description: `The host: ${HOST_IDS.join(', ')}.` },
    name: {
      type: 'string',
      description: 'What the server is called in the host; the name of the application if not given.',
    },
    print: { type: 'boolean', description: 'Print the configuration and change nothing.' },
  },
  run: ({ args }) => endWith(async () => (await import('./connect')).connect(args)),
})
