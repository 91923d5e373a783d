import { Ajv } from 'ajv';
import { madeOnce } from '#lib/collections/maps.ts';
import { asyncapiOf } from './asyncapi.ts';
import type { EndpointId } from './core/endpoint.ts';
import { isFields } from './core/json-frame.ts';
import { endpointOf } from './registry.ts';

const ajv = new Ajv({ strict: false, validateFormats: false });

interface Message {
  contentType: string;
  payload: object;
}

export type Side = 'client' | 'server';

/** Later versions may add fields to any object, but ours know each of their own. Maps have no fields to know. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isFields(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return schema.properties ? { ...inner, additionalProperties: false } : inner;
}

const sides = new Map<EndpointId, Record<Side, (message: string | Uint8Array) => boolean>>();

/** Whether each side of an endpoint may send a message, by the endpoint's document. */
export const describedMessages = (id: EndpointId) =>
  madeOnce(sides, id, () => {
    const { channels } = asyncapiOf(endpointOf(id)) as {
      channels: { connection: { messages: Record<string, Message> } };
    };
    const messages = Object.entries(channels.connection.messages);
    const ofSide = (side: Side) => {
      const own = messages.flatMap(([name, message]) => (name.startsWith(`${side}.`) ? [message] : []));
      const isJson = ({ contentType }: Message) => contentType === 'application/json';
      const validators = own.filter(isJson).map(({ payload }) => ajv.compile(closed(payload) as object));
      return (message: string | Uint8Array): boolean =>
        typeof message === 'string'
          ? validators.some((validate) => validate(JSON.parse(message)))
          : !own.every(isJson);
    };
    return { client: ofSide('client'), server: ofSide('server') };
  });
