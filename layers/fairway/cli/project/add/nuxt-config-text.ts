import { parseModule, type ProxifiedObject } from 'magicast'
import { getDefaultExportOptions } from 'magicast/helpers'
import { z } from 'zod'

// Of the syntax tree only what is asked for here.
const node = z.object({ type: z.string(), start: z.number(), end: z.number() })
const objectNode = node.extend({
  type: z.literal('ObjectExpression'),
  properties: z.array(
    z.object({ key: z.object({ name: z.string().optional() }).optional(), value: node.loose().optional() }),
  ),
})

export interface NuxtConfigFacts {
  /** The text with the layer among `extends`; undefined where the configuration is no plain object. */
  extended: string | undefined
  /** The preset of Nitro that it names, where it names one as a text. */
  preset?: string
  /** Whether it says `ssr: false`. */
  isClientOnly: boolean
}

const nitroSchema = z.object({ preset: z.string() })

/** What a Nuxt configuration says, and its text with this layer added to `extends`; everything else stays as it is, byte for byte. */
export function readNuxtConfig(text: string, layer: string): NuxtConfigFacts {
  const options: ProxifiedObject | undefined = getDefaultExportOptions(parseModule(text))
  const parsed = objectNode.safeParse(options?.$ast)
  if (!options || !parsed.success) return { extended: undefined, isClientOnly: false }
  const { preset } = nitroSchema.safeParse(Reflect.get(options, 'nitro')).data ?? {}
  return {
    extended: withLayer(text, parsed.data, layer),
    preset,
    isClientOnly: Reflect.get(options, 'ssr') === false,
  }
}

function withLayer(text: string, object: z.output<typeof objectNode>, layer: string): string {
  const quoted = `'${layer}'`
  const present = object.properties.find(property => property.key?.name === 'extends')?.value
  if (!present) return inserted(text, object, `extends: [${quoted}],`)
  const { start, end } = present
  const value = text.slice(start, end)
  if (/(['"`])nuxt-fairway\1/.test(value)) return text
  // The first of the list wins, and what is there already is nearer to the application than the platform.
  const list =
    present.type === 'ArrayExpression'
      ? `${value.slice(0, -1).trimEnd().replace(/,$/, '')}, ${quoted}]`
      : `[${value}, ${quoted}]`
  return text.slice(0, start) + list.replace('[, ', '[') + text.slice(end)
}

function inserted(text: string, { start, end }: { start: number; end: number }, line: string): string {
  const body = text.slice(start + 1, end - 1)
  if (body.trim() === '') return `${text.slice(0, start)}{ ${line.replace(/,$/, '')} }${text.slice(end)}`
  const indent = /^\s*\n(\s+)/.exec(body)?.[1]
  const piece = indent === undefined ? ` ${line}` : `\n${indent}${line}`
  return text.slice(0, start + 1) + piece + text.slice(start + 1)
}
