import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api'

const tracer = trace.getTracer('fairway')

/** Runs work inside an OpenTelemetry span; costs nearly nothing where nobody has registered a provider. Attributes hold names and codes, never what people wrote. */
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
