import fc from 'fast-check';
import { asyncapiOf } from '../asyncapi.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { Fields } from '../core/json-frame.ts';

/** The part of JSON Schema that schemas of frames have. */
interface Schema {
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
}

/** Short values, so that a list of frames stays readable, and a length or a rate is possible now and then. */
const TEXTS = fc.constantFrom('a', 'Hi.', 'one two ', '');
const NUMBERS = fc.constantFrom(0, 1, 2, 40, 24_000);
const FRACTIONS = fc.constantFrom(0, 0.25, 1, 2);

const within = ({ minimum = -Infinity, maximum = Infinity }: Schema, values: fc.Arbitrary<number>) =>
  values.map((value) => Math.min(maximum, Math.max(minimum, value)));

/** Returns values that a schema takes. @throws Error for a schema of a kind that no frame has had so far */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type })));
  switch (schema.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, each]) => [key, valuesOf(each)]),
        ),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 2 });
    case 'string':
      return TEXTS;
    case 'integer':
      return within(schema, NUMBERS);
    case 'number':
      return within(schema, FRACTIONS);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case undefined:
      return fc.constantFrom<unknown>(null, 1, 'x');
    default:
      throw new Error(`No values for a schema of ${schema.type}.`);
  }
}

/** Returns the JSON frames of an endpoint's server that its schemas describe, by kind. */
export function describedFrames(endpoint: Endpoint): fc.Arbitrary<Fields>[] {
  const { channels } = asyncapiOf(endpoint) as {
    channels: { connection: { messages: Record<string, { contentType: string; payload: Schema }> } };
  };
  return Object.entries(channels.connection.messages).flatMap(([name, { contentType, payload }]) =>
    name.startsWith('server.') && contentType === 'application/json'
      ? [valuesOf(payload) as fc.Arbitrary<Fields>]
      : [],
  );
}
