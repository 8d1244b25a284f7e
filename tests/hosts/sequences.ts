import { basicHosts } from './basic-hosts'
import { chatGpt } from './chatgpt'
import { claudeAi } from './claude-ai'
import { claudeCode } from './claude-code'
import { codex } from './codex'
import { cursor } from './cursor'
import { geminiCli } from './gemini-cli'
import { goose } from './goose'
import type { Sequence } from './host'
import { opencode } from './opencode'
import { pythonSdk } from './python-sdk'
import { vsCode } from './vs-code'
import { zed } from './zed'

/** The hosts with recorded requests, in the order of docs/hosts.md. */
export const sequences: readonly Sequence[] = [
  claudeCode,
  claudeAi,
  chatGpt,
  codex,
  geminiCli,
  vsCode,
  cursor,
  opencode,
  goose,
  zed,
  pythonSdk,
  basicHosts,
]
