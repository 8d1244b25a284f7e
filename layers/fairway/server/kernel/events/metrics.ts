import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api'
import type { App } from '../app-context'

type Labels = Readonly<Record<string, string>>

interface Family {
  help: string
  type: 'counter' | 'histogram'
  /** One entry for each combination of labels: a sum, and for histograms the counts below each bound. */
  series: Map<string, { labels: Labels; value: number; count: number; buckets: number[] }>
}

/** Upper bounds of the buckets of durations, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Limits the memory for a label with values from requests. */
const MOST_SERIES = 2000

const familiesOf = (app: Pick<App, 'memo'>) => app.memo('metrics', () => new Map<string, Family>())

/** Increments a counter of this process, for example `fairway_actions_total`. */
export function countMetric(app: Pick<App, 'memo'>, name: string, help: string, labels: Labels = {}): void {
  const series = seriesOf(app, { name, help, type: 'counter', labels })
  if (series) series.value += 1
}

/** Adds one duration, in seconds, to a histogram of this process. */
export function observeSeconds(
  app: Pick<App, 'memo'>,
  name: string,
  help: string,
  seconds: number,
  labels: Labels = {},
): void {
  const series = seriesOf(app, { name, help, type: 'histogram', labels })
  if (!series) return
  series.value += seconds
  series.count += 1
  for (const [index, bound] of BOUNDS.entries()) {
    if (seconds <= bound) series.buckets[index] = (series.buckets[index] ?? 0) + 1
  }
}

function seriesOf(
  app: Pick<App, 'memo'>,
  metric: { name: string; help: string; type: Family['type']; labels: Labels },
) {
  const families = familiesOf(app)
  const { name, help, type, labels } = metric
  const family = families.get(name) ?? { help, type, series: new Map() }
  families.set(name, family)
  const key = Object.values(labels).join('\n')
  const known = family.series.get(key)
  if (known) return known
  if (family.series.size >= MOST_SERIES) return undefined
  const series = { labels, value: 0, count: 0, buckets: BOUNDS.map(() => 0) }
  family.series.set(key, series)
  return series
}

/** Returns the counters in the Prometheus text format 0.0.4. */
export const metricsText = (app: Pick<App, 'memo'>): string =>
  [...familiesOf(app)].map(([name, family]) => familyText(name, family)).join('')

function familyText(name: string, { help, type, series }: Family): string {
  const lines = [...series.values()].flatMap(({ labels, value, count, buckets }) =>
    type === 'counter'
      ? [metricLine(name, labels, value)]
      : [
          ...BOUNDS.map((bound, index) =>
            metricLine(`${name}_bucket`, { ...labels, le: String(bound) }, buckets[index] ?? 0),
          ),
          metricLine(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
          metricLine(`${name}_sum`, labels, value),
          metricLine(`${name}_count`, labels, count),
        ],
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** One sample of the Prometheus text format. */
export function metricLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) =>
      `${label}="${text.replace(/["\\\n]/g, character => (character === '\n' ? '\\n' : `\\${character}`))}"`,
  )
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const tracer = trace.getTracer('fairway')

/**
 * Runs work inside an OpenTelemetry span; costs almost no time without a registered provider. Attributes contain names and codes,
 * never people's texts.
 */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async span => {
    try {
      return await work()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal'
      span.setAttribute('error.type', code)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}
