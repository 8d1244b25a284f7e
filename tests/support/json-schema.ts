import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'

const lenient = { strict: false, validateFormats: false }

/** The validators that hosts check tools with, one per draft. */
export const validatorsOf = { draft07: new Ajv(lenient), draft2020: new Ajv2020(lenient) }

interface WithSchemas {
  name: string
  inputSchema: object
  outputSchema?: object
}

/** The schemas of tools that a validator cannot compile, each with the error. */
export const faultsOfSchemas = (tools: readonly WithSchemas[], validator: Ajv): string[] =>
  tools.flatMap(({ name, inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].flatMap(schema => {
      try {
        if (schema) validator.compile({ ...schema })
        return []
      } catch (error) {
        return [`${name}: ${String(error)}`]
      }
    }),
  )
