import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { fieldsIn, playedTo, type Recorded, recorded } from '#server/served/served.test-helper.ts';
import { protocolOf } from '../../support/protocols.ts';
import { orderlyPart } from './socket-part.ts';

/** Another client of the same meaning: other ids and order of fields, and texts cut in two. */
class OtherClient {
  readonly #endpoint: Endpoint;
  readonly #fields: readonly string[];
  readonly #ids = new Map<string, string>();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#fields = endpoint.clientIds;
  }

  written(frame: string): string[] {
    const fields = fieldsOf(frame);
    if (!fields) return [frame];
    const entries = Object.entries(fields).map(
      ([name, value]) => [name, this.#renamed(name, value)] as const,
    );
    const [said, ...more] = protocolOf(this.#endpoint).readIntents(frame);
    const text = said?.kind === 'say' && more.length === 0 ? said.text : '';
    const field = entries.find(([, value]) => value === text)?.[0];
    const cut = Math.ceil(text.length / 2);
    if (field !== undefined && cut > 0 && cut < text.length)
      return [text.slice(0, cut), text.slice(cut)].map((part) =>
        JSON.stringify({ ...Object.fromEntries(entries), [field]: part }),
      );
    return [JSON.stringify(Object.fromEntries(entries.toReversed()), null, 1)];
  }

  /** A frame of the server with the recorded ids. */
  read(frame: Readonly<Record<string, unknown>>): object {
    const recordedOf = (id: unknown) => {
      if (typeof id === 'string' && this.#ids.has(id)) return `${id} of the recording`;
      return [...this.#ids].find(([, own]) => own === id)?.[0] ?? id;
    };
    return Object.fromEntries(
      Object.entries(frame).map(([name, value]) => [
        name,
        this.#fields.includes(name) ? recordedOf(value) : value,
      ]),
    );
  }

  #renamed(name: string, value: unknown): unknown {
    if (!this.#fields.includes(name) || typeof value !== 'string') return value;
    const id = this.#ids.get(value) ?? `b${this.#ids.size}`;
    this.#ids.set(value, id);
    return id;
  }
}

async function itIsPlayed({ info, entries }: Recorded): Promise<void> {
  const endpoint = ENDPOINTS.find(({ id }) => id === info.endpoint);
  if (!endpoint) throw new Error(`unknown endpoint ${info.endpoint}`);
  const client = new OtherClient(endpoint);
  const played = playedTo({ info, entries }, { pace: 'fast' });
  let heard = 0;
  for (const { direction, payload } of entries) {
    if (direction === 'in') heard += 1;
    if (direction !== 'out') continue;
    // A cancel comes behind the frames that it has heard.
    while (played.sent.length < heard) await new Promise(setImmediate);
    const written = typeof payload === 'string' ? client.written(payload) : [];
    for (const frame of written) played.sendText(frame);
  }
  await played.clock.advance(0);
  const frames = entries
    .filter(({ direction }) => direction === 'in')
    .map(({ payload }) => fieldsIn(payload));
  expect(played.differences).toEqual([]);
  expect(played.sent.map(({ frame }) => client.read(frame))).toEqual(frames);
}

it('answers a client that writes the same otherwise with the recorded frames', async () => {
  const cases = fc.sample(orderlyPart('').cases, { numRuns: 90, seed: 28 });
  const recordings = await recorded(async ({ ws }) => {
    const { check } = orderlyPart(ws);
    await Promise.all(cases.map((one) => check({ ...one, key: LOCAL_KEY })));
  });
  expect(recordings).toHaveLength(cases.length);
  for (const recording of recordings) await itIsPlayed(recording);
});
