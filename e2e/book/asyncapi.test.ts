import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from 'vitest';
import { readWhole } from '#command/read-recordings.ts';
import { asyncapiOf } from '#protocol/asyncapi.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { describedMessages } from '#protocol/described-messages.test-helper.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, endpointNamed, endpointOf } from '#protocol/registry.ts';

const SAMPLES = fileURLToPath(new URL('../../public/recordings/', import.meta.url));

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))(
  'the document of %s',
  (id, endpoint) => {
    it('is valid AsyncAPI 3', async () => {
      const found = await new Parser().validate(JSON.stringify(asyncapiOf(endpoint)));
      expect(
        found.filter(({ severity }) => severity <= 1).map(({ message, path }) => [message, path]),
      ).toEqual([]);
    });

    it('has every message that a person can send by hand, and those of an example turn', () => {
      for (const { title, frame } of protocolOf(endpoint).templates)
        expect(describedMessages(id).client(JSON.stringify(frame)), title).toBe(true);
      for (const frame of protocolOf(endpoint).exampleTurn('Hello.', 'a'))
        expect(describedMessages(id).server(frame)).toBe(true);
      const { client, server } = describedMessages(id);
      expect([client, server].map((isOf) => isOf('{"nonsense":1}'))).toEqual([false, false]);
    });
  },
);

it('the documents say where a key goes', () => {
  const keysOf = (id: EndpointId) => {
    const { components, operations } = asyncapiOf(endpointOf(id)) as {
      components?: { securitySchemes: Record<string, { in: string; name: string }> };
      operations: { send: { description?: string } };
    };
    const schemes = Object.values(components?.securitySchemes ?? {});
    const words = operations.send.description?.includes('in a message') ? ['message'] : [];
    return [...schemes.map((each) => `${each.in} ${each.name}`), ...words].join(', ');
  };
  for (const { id } of ENDPOINTS) expect(keysOf(id), id).not.toBe('');
  expect(keysOf('kugel-stream')).toBe('query api_key');
  expect(keysOf('murmr')).toBe('message');
  expect(keysOf('elevenlabs-stream')).toBe('message');
  expect(keysOf('deepgram')).toBe('header Sec-WebSocket-Protocol');
  expect(keysOf('cartesia')).toBe('query api_key, query access_token');
});

it('the documents have every message of the samples but that of broken rules', async () => {
  const names = readdirSync(SAMPLES).filter((name) => !name.startsWith('broken-rules'));
  const files = names.map((name) => `${SAMPLES}${name}`);
  const others: unknown[] = [];
  let seen = 0;
  await readWhole(files, null, async (info, entries) => {
    const id = endpointNamed(info.endpoint)?.id;
    for (const { direction, payload } of entries) {
      if (!id || payload === null || (direction !== 'in' && direction !== 'out')) continue;
      seen += 1;
      const isKnown = describedMessages(id)[direction === 'in' ? 'server' : 'client'](payload);
      if (!isKnown) others.push([id, direction, String(payload).slice(0, 200)]);
    }
  });
  expect(seen).toBeGreaterThan(500);
  expect(others).toEqual([]);
});
