import { defineCommand } from 'citty'
import type { CommandDef } from 'citty'
import { endWith, say } from './terminal'

const shellCommand = (shell: 'bash' | 'fish' | 'zsh', program: () => CommandDef, startFile: string, line: string) =>
  defineCommand({
    meta: { name: shell, description: `Print the script. In ${startFile}: \`${line}\`` },
    run: () =>
      endWith(async () => {
        const { completionScript } = await import('./completion')
        say(await completionScript(shell, program()))
        return 0
      }),
  })

const actions = defineCommand({
  meta: { name: 'actions', description: 'The names of the actions, for the scripts.', hidden: true },
  run: () =>
    endWith(async () => {
      const { actionFiles } = await import('../modules/registry/catalogs')
      for (const { name } of actionFiles(process.cwd())) say(name)
      return 0
    }),
})

/** `fw completion`: prints the script with which a shell completes the commands and options of this program. */
export const completionCommand = (program: () => CommandDef): CommandDef =>
  defineCommand({
    meta: { name: 'completion', description: 'Complete commands, options and actions in your shell.' },
    subCommands: {
      bash: shellCommand('bash', program, '~/.bashrc', 'source <(fw completion bash)'),
      fish: shellCommand('fish', program, '~/.config/fish/config.fish', 'fw completion fish | source'),
      zsh: shellCommand('zsh', program, '~/.zshrc, after `compinit`', 'source <(fw completion zsh)'),
      actions,
    },
  })
