// What hosts do to the tools of a server, as recorded. Claude Code, Codex, Gemini CLI and Copilot CLI were run without a network
// against a server with unusual tools, and the tools in their requests to a model were compared with it.
import { RECORDED_HOST_IDS, type RecordedHostId } from '../names'
import { claudeCodeName, codexName, copilotName, geminiFull, geminiName, vsCodeFull } from './host-names'
import {
  annotated,
  brokenPart,
  codexSize,
  instructionsOver,
  type Listed,
  longerThan,
  lostKeywords,
  positionalItems,
  propertyKeys,
  sameNames,
  type ServerTools,
  tooLong,
  toolsWhere,
  unitedAtTop,
  withoutItems,
} from './tool-traits'

/**
 * What a host does. `refuses` keeps all tools away, `hides` the found ones. The others let a tool arrive: `cuts` loses text,
 * `rewrites` changes the schema, `groups` delays tools, `renames` changes names, `ignores` drops keywords, `asks` asks the person.
 */
export type Effect = 'refuses' | 'hides' | 'cuts' | 'rewrites' | 'groups' | 'renames' | 'ignores' | 'asks'

/** Something that a host does to some tools. */
interface Habit {
  effect: Effect
  /** The reason, as the end of a sentence: “Codex hides 2 tools: …”. */
  why: string
  /** What the author can do. */
  todo?: string
  find(server: ServerTools): Listed[]
}

/** Where a habit is known from: the day of the recording, of the release that was read, or of the report. */
interface Proof {
  recorded: string
  source: string
}

interface RecordedHost extends Proof {
  title: string
  version: string
  /** With another proof where it is not that of the host. */
  rules: readonly (Habit & Partial<Proof>)[]
}

export type HostRule = Habit & Proof & { host: RecordedHostId }

const RUN = '2026-11-30'
const requests = (program: string): string => `requests of the released program (${program})`
const GEMINI = `${requests('@google/gemini-cli 0.61.0')}; @google/gemini-cli-core, dist/src/tools/mcp-tool.js`
const VS_CODE = 'VS Code 1.139.1, src/vs/workbench/contrib/mcp/common/mcpServer.ts'
const VS_CODE_COPILOT =
  'Copilot Chat 0.67.0 of VS Code 1.139.1, extensions/copilot/src/extension/tools/common/toolSchemaNormalizer.ts'
const VS_CODE_DAY = '2026-09-25'

const SHORTER = 'Rename the file of the action or collection, or connect the server with a shorter name (`--name`).'
const ONE_OBJECT = 'Declare the fields in one `z.object`, and check combinations in `run`.'
const SAME_ITEMS = 'Use `z.array`, or `z.tuple` without `items` in `meta`.'
const VALID = 'Correct the keyword in `meta` of the schema.'

/** The recorded hosts, in the order of the output. */
export const RECORDED_HOSTS: Record<RecordedHostId, RecordedHost> = {
  'claude-code': {
    title: 'Claude Code',
    version: '2.1.330',
    recorded: RUN,
    source: requests('@anthropic-ai/claude-code-linux-x64 2.1.330'),
    rules: [
      {
        effect: 'hides',
        why: 'the name with `mcp__<server>__` is longer than 128 characters',
        todo: SHORTER,
        find: longerThan(128, claudeCodeName),
      },
      {
        effect: 'hides',
        why: 'a field of the input has other characters than letters, digits, “_”, “.” and “-”, or more than 64',
        todo: 'Rename the field, and say its meaning with `describe`.',
        find: propertyKeys,
      },
      {
        effect: 'hides',
        why: 'the input is not a JSON Schema of 2020-12',
        todo: VALID,
        find: toolsWhere(({ inputSchema }) => [...brokenPart(inputSchema), ...positionalItems(inputSchema)]),
      },
      {
        effect: 'cuts',
        why: 'the description ends after 4,096 characters',
        todo: 'Say first when to use the tool. Move details to `describe` of the fields.',
        find: tooLong(4096),
      },
      {
        effect: 'cuts',
        why: '`mcp.instructions` of fw.config.ts end after 4,096 characters',
        todo: 'Shorten them.',
        find: instructionsOver(4096),
      },
      {
        effect: 'rewrites',
        why: 'it merges `anyOf`, `oneOf` or `allOf` at the top of the input into one object without required fields',
        todo: ONE_OBJECT,
        find: unitedAtTop(['anyOf', 'oneOf', 'allOf']),
      },
    ],
  },
  claude: {
    title: 'Claude (web, desktop, phone)',
    version: 'of 2026-08',
    recorded: '2026-08-02',
    source: '`anthropics/claude-code#57813` (2026-05-10) and `#76775` (2026-07-11); `evoila/meho#2745` (2026-08-02)',
    rules: [
      {
        effect: 'refuses',
        why: 'one name is longer than 64 characters, or has other characters than letters, digits, “_” and “-”',
        todo: 'Rename the file of the action or collection.',
        find: toolsWhere(({ name }) => (/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : [`${name.length} characters`])),
      },
    ],
  },
  chatgpt: {
    title: 'ChatGPT',
    version: 'of 2026-07',
    recorded: '2026-07-18',
    source: '`oomkapwn/enquire-mcp#354` (2026-07-18)',
    rules: [
      {
        effect: 'refuses',
        why: 'it creates no connector when the `items` of an array are a list (“Invalid MCP tool schema”)',
        todo: SAME_ITEMS,
        find: toolsWhere(({ inputSchema }) => positionalItems(inputSchema)),
      },
    ],
  },
  codex: {
    title: 'Codex',
    version: '0.171.0',
    recorded: RUN,
    source: requests('@openai/codex 0.171.0-linux-x64'),
    rules: [
      {
        effect: 'hides',
        why: 'the `items` of an array are a list',
        todo: SAME_ITEMS,
        find: toolsWhere(({ inputSchema }) => positionalItems(inputSchema)),
      },
      {
        effect: 'cuts',
        why: 'the input is larger than 5,000 bytes, so that all descriptions of fields are missing, and deep fields too',
        todo: 'Shorten the texts of `describe`, or split the action.',
        find: toolsWhere(({ inputSchema }) => {
          const size = codexSize(inputSchema)
          return size > 5000 ? [`${size} bytes`] : []
        }),
      },
      {
        effect: 'renames',
        why: 'the name with `mcp__<server>` is longer than 126 characters and ends in a hash',
        todo: SHORTER,
        find: longerThan(126, codexName),
      },
      {
        effect: 'renames',
        why: 'hyphens become underscores',
        find: toolsWhere(({ name }) => (name.includes('-') ? [name.replaceAll('-', '_')] : [])),
      },
      {
        effect: 'ignores',
        why: 'the model does not see the limits of fields, only the error of a call that breaks one',
        todo: 'Say important limits with `describe`.',
        find: toolsWhere(({ inputSchema }) => lostKeywords(inputSchema)),
      },
      {
        effect: 'asks',
        why: 'the tool is `destructive`',
        recorded: '2026-10-02',
        source: '`openai/codex` at `ca466061`, codex-rs/core/src/mcp_tool_call.rs',
        find: annotated(({ destructive }) => destructive),
      },
    ],
  },
  vscode: {
    title: 'VS Code with Copilot',
    version: '1.139.1',
    recorded: VS_CODE_DAY,
    source: VS_CODE_COPILOT,
    rules: [
      {
        effect: 'refuses',
        why: 'an array has no `items`, so that every chat request fails (“tool parameters array type must have items”)',
        todo: 'Use `z.array`, or add `items` in `meta`.',
        find: toolsWhere(({ inputSchema }) => withoutItems(inputSchema)),
      },
      {
        effect: 'hides',
        why: 'the input is not a JSON Schema of draft-07',
        todo: VALID,
        source: VS_CODE,
        find: toolsWhere(({ inputSchema }) => brokenPart(inputSchema)),
      },
      {
        effect: 'hides',
        why: 'another tool has the same name after 64 characters',
        todo: 'Rename the file of one of the actions.',
        source: `${VS_CODE}; src/vs/workbench/contrib/chat/browser/tools/languageModelToolsService.ts`,
        find: sameNames('first', (server, tool) => vsCodeFull(server, tool).slice(0, 64)),
      },
      {
        effect: 'groups',
        why: 'a request takes 128 tools, and those of the editor and other servers count too',
        todo: 'Set `mcp: false` for actions that no assistant needs.',
        source:
          'Copilot Chat 0.67.0 of VS Code 1.139.1, `github.copilot.chat.virtualTools.threshold` and its changelog',
        find: ({ tools }) => (tools.length > 128 ? [{ detail: `${tools.length} tools` }] : []),
      },
      {
        effect: 'rewrites',
        why: 'it drops `anyOf`, `oneOf`, `allOf`, `not` and `if` at the top of the input',
        todo: ONE_OBJECT,
        find: unitedAtTop(['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else']),
      },
      {
        effect: 'renames',
        why: 'the name with its prefix is longer than 64 characters and is cut',
        todo: 'Rename the file of the action or collection.',
        source: VS_CODE,
        find: longerThan(64, vsCodeFull),
      },
      {
        effect: 'asks',
        why: 'the tool is not `readOnly`',
        source: 'VS Code 1.139.1, src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts',
        find: annotated(({ readOnly }) => !readOnly),
      },
    ],
  },
  gemini: {
    title: 'Gemini CLI',
    version: '0.61.0',
    recorded: RUN,
    source: GEMINI,
    rules: [
      {
        effect: 'hides',
        why: 'another tool has the same name after its middle is left out',
        todo: 'Rename the file of one of the actions.',
        find: sameNames('last', geminiName),
      },
      {
        effect: 'renames',
        why: 'the name with `mcp_<server>_` is longer than 63 characters and loses its middle',
        todo: SHORTER,
        find: longerThan(63, geminiFull),
      },
      {
        effect: 'asks',
        why: 'the server is not trusted; runs with `-p` then have none of them',
        todo: 'For runs without a person, set `trust` of the server in settings.json.',
        find: annotated(() => true),
      },
    ],
  },
  copilot: {
    title: 'Copilot CLI',
    version: '1.0.102',
    recorded: RUN,
    source: requests('@github/copilot-linux-x64 1.0.102'),
    rules: [
      {
        effect: 'renames',
        why: 'the name with `<server>-` is longer than 64 characters and is cut',
        todo: SHORTER,
        find: longerThan(64, copilotName),
      },
      {
        effect: 'rewrites',
        why: 'it merges `anyOf`, `oneOf` or `allOf` at the top of the input into one object',
        todo: ONE_OBJECT,
        find: unitedAtTop(['anyOf', 'oneOf', 'allOf']),
      },
    ],
  },
}

/** All rules, by host. */
export const HOST_RULES: readonly HostRule[] = RECORDED_HOST_IDS.flatMap(host => {
  const { rules, recorded, source } = RECORDED_HOSTS[host]
  return rules.map(rule => ({ host, recorded, source, ...rule }))
})
