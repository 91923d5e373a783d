import { bookPageOf } from './book.ts';
import type { Endpoint, SecretPlace } from './core/endpoint.ts';
import type { FrameTemplate } from './core/frame.ts';
import type { DescribedMessage, DescribedMessages } from './core/json-frame.ts';
import type { Setting } from './core/settings.ts';
import { z } from './core/zod.ts';
import { protocolOf } from './protocols.ts';
import { exchangeOf } from './rules.ts';

/** Of our description, as its format demands one. No vendor numbers its protocol. */
const VERSION = '1.0.0';

/** A schema as JSON Schema draft 7, of what is sent: before defaults and clamps. */
function jsonSchemaOf(schema: z.ZodMiniType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
  });
  return rest;
}

const statement = (anchor: string): string => `docs/protocols/${bookPageOf(anchor)}.md#${anchor}`;

/** @param templates are the examples of the messages that they are */
const messageOf = (
  name: string,
  { schema, anchor }: DescribedMessage,
  templates: readonly FrameTemplate[],
) => {
  const examples = templates
    .filter(({ frame }) => schema?.safeParse(frame).success)
    .map(({ title, about, frame }) => ({ name: title, summary: about, payload: frame }));
  return {
    name,
    description: `See ${statement(anchor)}`,
    ...(schema
      ? { contentType: 'application/json', payload: jsonSchemaOf(schema) }
      : {
          contentType: 'application/octet-stream',
          payload: { type: 'string', contentEncoding: 'binary' },
        }),
    ...(examples.length > 0 && { examples }),
  };
};

const settingOf = ({ field, schema, explanation }: Setting): [string, object] => [
  field,
  { ...jsonSchemaOf(schema), description: explanation },
];

const keyInQuery = (name: string, description: string) => ({
  type: 'httpApiKey',
  in: 'query',
  name,
  description,
});
const KEY = 'The key of the account';

/** Returns the security schemes of an endpoint. A connection needs one of them. AsyncAPI has no scheme for a key in a message, so `inMessages` describes that key. */
function keysOf(place: SecretPlace): { schemes: Readonly<Record<string, object>>; inMessages?: string } {
  const token = 'token' in place ? place.token : undefined;
  const ofToken = token && {
    token: keyInQuery(token.name, `A short-lived key, which begins with ${token.prefix}`),
  };
  switch (place.in) {
    case 'query':
      return { schemes: { key: keyInQuery(place.name, KEY), ...ofToken } };
    case 'message': {
      const other = token
        ? ` One that begins with ${token.prefix} is ${token.name} in the query instead.`
        : '';
      return { schemes: {}, inMessages: `${KEY} is in a message.${other}` };
    }
    case 'subprotocol': {
      const description = `${KEY}, in subprotocols: ${place.protocols('{key}').join(', ')}`;
      return {
        schemes: { key: { type: 'httpApiKey', in: 'header', name: 'Sec-WebSocket-Protocol', description } },
      };
    }
    case 'header': {
      const description = `${KEY}${place.scheme ? ` behind ${place.scheme}` : ''}`;
      return { schemes: { key: { type: 'httpApiKey', in: 'header', name: place.name, description } } };
    }
  }
}

/**
 * The AsyncAPI 3 document of an endpoint, as a client sees it: it sends the client's messages.
 * @param here host and port of the local server
 */
export function asyncapiOf(endpoint: Endpoint, here = '127.0.0.1:4173'): object {
  const { title, vendor, path, localPrefix, servers, settings, keyPlace } = endpoint;
  const { client, server } = exchangeOf(endpoint);
  const inPath = settings.filter(({ place }) => place === 'path');
  const inQuery = settings.filter(({ place }) => place === 'query').map(settingOf);
  const { schemes, inMessages } = keysOf(keyPlace);
  const hasSchemes = Object.keys(schemes).length > 0;
  const secured = hasSchemes && {
    security: Object.keys(schemes).map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
  };
  const refsTo = (messages: DescribedMessages, side: string) =>
    Object.keys(messages).map((name) => ({ $ref: `#/channels/connection/messages/${side}.${name}` }));
  const named = (messages: DescribedMessages, side: string) =>
    Object.entries(messages).map(([name, message]) => [
      `${side}.${name}`,
      messageOf(name, message, side === 'client' ? protocolOf(endpoint).templates : []),
    ]);
  const operation = (action: 'send' | 'receive', messages: DescribedMessages, side: string) => ({
    action,
    channel: { $ref: '#/channels/connection' },
    messages: refsTo(messages, side),
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title,
      version: VERSION,
      description: `Streaming text-to-speech of ${vendor} over a WebSocket. Where messages name a statement, it is one of the protocol book in docs/protocols/.`,
    },
    defaultContentType: 'application/json',
    servers: Object.fromEntries([
      ...servers.flatMap(({ id: name, title: words, base }) => {
        if (base === null) return [];
        const { host, pathname, protocol } = new URL(base);
        const prefix = pathname === '/' ? {} : { pathname };
        return [[name, { host, protocol: protocol.slice(0, -1), ...prefix, title: words, ...secured }]];
      }),
      ['here', { host: here, protocol: 'ws', pathname: localPrefix, title: 'The local server', ...secured }],
    ]),
    channels: {
      connection: {
        address: path,
        ...(inPath.length > 0 && {
          parameters: Object.fromEntries(
            inPath.map(({ field, explanation }) => [field, { description: explanation }]),
          ),
        }),
        messages: Object.fromEntries([...named(client, 'client'), ...named(server, 'server')]),
        ...(inQuery.length > 0 && {
          bindings: {
            ws: {
              query: { type: 'object', properties: Object.fromEntries(inQuery) },
              bindingVersion: '0.1.0',
            },
          },
        }),
      },
    },
    operations: {
      send: { ...operation('send', client, 'client'), ...(inMessages && { description: inMessages }) },
      receive: operation('receive', server, 'server'),
    },
    ...(hasSchemes && { components: { securitySchemes: schemes } }),
  };
}
