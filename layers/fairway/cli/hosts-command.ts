import { defineCommand } from 'citty'
import { RECORDED_HOST_IDS } from './names'
import { endWith } from './terminal'

/** `fw hosts`: compares the tools of this application with recorded hosts; exits with 1 when a host refuses or hides a tool. */
export const hostsCommand = defineCommand({
  meta: { name: 'hosts', description: 'Show which of your tools reach each MCP host, and why others do not.' },
  args: {
    host: {
      type: 'positional',
      required: false,
      description: `One host, with everything that it does to your tools: ${RECORDED_HOST_IDS.join(', ')}.`,
    },
    name: {
      type: 'string',
      description: 'What the server is called in the host; the name of the application if not given.',
    },
    json: { type: 'boolean', description: 'Write one JSON object.', default: false },
  },
  run: ({ args }) => endWith(async () => (await import('./hosts/check-hosts')).checkHosts(args)),
})
