import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { isLoopbackHost } from 'nuxt-fairway/desktop-wire'
import { desktopAppSchema, type DesktopApp, isExactOrigin } from '../eligibility'

export interface WorkspaceConfig {
  /** The origin of the hub. */
  hub: string
  apps: DesktopApp[]
  /** Whether the hub is on this machine; then applications may use http on this machine too. */
  isDevelopment: boolean
}

const configSchema = z.strictObject({
  hub: z.string(),
  apps: z
    .array(
      desktopAppSchema.extend({
        mode: desktopAppSchema.shape.mode.default('production'),
        isEnabled: z.boolean().default(true),
        workspaceSso: z.boolean().optional(),
      }),
    )
    .default([]),
})
type Given = z.infer<typeof configSchema>

/** Reads the workspace from a hub's address or from a file; throws `ProgramFault` with all its errors. */
export async function readWorkspaceConfig(source: string): Promise<WorkspaceConfig> {
  if (/^https?:\/\//i.test(source)) return toConfig({ hub: source.replace(/\/$/, ''), apps: [] }, source)
  const text = await readFile(source, 'utf8').catch(() => {
    throw new ProgramFault(`There is no workspace file at ${source}, or it cannot be read.`)
  })
  const parsed = configSchema.safeParse(jsonOf(text, source))
  if (parsed.success) return toConfig(parsed.data, source)
  throw faultOf(
    source,
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
  )
}

function toConfig({ hub, apps }: Given, source: string): WorkspaceConfig {
  const isDevelopment = URL.canParse(hub) && isLoopbackHost(new URL(hub).hostname)
  const faults = [
    ...(isExactOrigin(hub, true) ? [] : ['hub: must be an exact https origin, for example https://hub.example.com']),
    ...apps.flatMap((app, index) => faultsOf(app, { index, apps, isDevelopment })),
  ]
  if (faults.length > 0) throw faultOf(source, faults)
  return { hub, isDevelopment, apps: apps.map(toDesktopApp) }
}

/** An application that the hub does not declare itself takes part only with exactly `true`. */
const toDesktopApp = ({ workspaceSso, ...app }: Given['apps'][number]): DesktopApp =>
  workspaceSso === true ? { ...app, workspaceSso } : app

function faultsOf(
  { id, origin, mode }: Given['apps'][number],
  { index, apps, isDevelopment }: { index: number; apps: Given['apps']; isDevelopment: boolean },
): string[] {
  const mayBeLoopback = isDevelopment || mode === 'development'
  const faults = []
  if (!isExactOrigin(origin, mayBeLoopback)) faults.push(`apps.${index}.origin: must be an exact https origin`)
  if (apps.findIndex(other => other.id === id) < index) faults.push(`apps.${index}.id: ${id} is there twice`)
  return faults
}

const faultOf = (source: string, faults: string[]) =>
  new ProgramFault([`The workspace of ${source} cannot be used:`, ...faults.map(fault => `  - ${fault}`)].join('\n'))

function jsonOf(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProgramFault(`The workspace file ${source} is not JSON.`)
  }
}

/** The reason why the program cannot start, as a sentence for the person who started it. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault'
}
