import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpeechEvent } from './core/speech-event.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS } from './registry.ts';
import { describedFrames } from './testing/described-frames.ts';
import { audioKeyOf } from './testing/example-server.ts';

/** How all wires read frames of the server, also those that no server should send. */

type Fields = Record<string, unknown>;

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  const { exampleTurn, failures, open } = protocolOf(endpoint);
  const read = (frame: string | Uint8Array<ArrayBuffer>): SpeechEvent[] =>
    open({ settings: {}, key: 'key' }).decode(frame);
  const turn = exampleTurn('Hi.', 'a');
  const example = turn.flatMap((frame) => (typeof frame === 'string' ? [JSON.parse(frame) as Fields] : []));
  const errors = failures.errors.map(
    (name) => failures.error(name, endpoint.contexts && 'a').frame as Fields,
  );
  const isRead = (frame: Fields): boolean =>
    read(JSON.stringify(frame)).every(({ type }) => type !== 'unknown' && type !== 'malformed');
  // A dialect may want more of a frame than its schema, such as lists of one length.
  const described = describedFrames(endpoint).map((frames) =>
    fc.sample(frames, { numRuns: 40, seed: 46 }).filter(isRead).slice(0, 5),
  );
  const known = [...example, ...errors, ...described.flat()];
  /** The frame with samples, if it is JSON, and their key. */
  const spoken = example.find((frame) => audioKeyOf(frame) !== null);
  const key = (spoken && audioKeyOf(spoken)) ?? '';
  const audio = spoken && { ...spoken, [key]: 'AAAB' };

  it.each(['', '{', '{"audio":"AA', '[1]', 'null', '7', '"text"'])(
    'reports %j as no JSON object',
    (frame) => {
      expect(read(frame)).toEqual([
        { type: 'malformed', problem: expect.stringMatching(/^expected a JSON object, got ./) },
      ]);
    },
  );

  it.each<object>([
    {},
    { hello: 1 },
    { type: 'audio_end' },
    { type: 7 },
    { type: 'constructor' },
    { toString: 1 },
  ])('keeps a frame of another kind whole: %j', (frame) => {
    expect(read(JSON.stringify(frame))).toEqual([{ type: 'unknown', frame }]);
  });

  it('reads frames of each kind that its schemas describe', () => {
    expect(described.every((frames) => frames.length > 0)).toBe(true);
  });

  it('passes on the unknown fields of any frame', () => {
    const unknown = { loudness: -3, constructor: 'x' };
    for (const frame of known) {
      const events = read(JSON.stringify({ ...frame, ...unknown }));
      if (events.length > 0) expect(events).toContainEqual(expect.objectContaining({ unknown }));
    }
  });

  describe.runIf(audio)('audio', () => {
    it.each<[string, (frame: string) => string]>([
      ['lines', (frame) => JSON.stringify(JSON.parse(frame), null, '\t')],
      ['blanks', (frame) => frame.replaceAll(':', ' : ').replaceAll(',', ', ')],
      ['an escape in its base64', (frame) => frame.replace('AAAB', '\\u0041AAB')],
      [
        'an escape in its key',
        (frame) => frame.replace(`"${key}"`, `"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}"`),
      ],
      [
        'its keys in another order',
        (frame) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(frame)).reverse())),
      ],
    ])('reads audio with %s as audio', (_, change) => {
      const frame = JSON.stringify(audio);
      expect(change(frame)).not.toBe(frame);
      expect(read(change(frame))).toEqual(read(frame));
    });

    it('reads any audio frame equally on the fast and the full path', () => {
      const rate = fc.constantFrom(24_000, 8000, 0, 3000, 2999, 192_000, 192_001, 8000.5, '24k', null);
      const frames = fc.record(
        {
          [key]: fc.oneof({ weight: 5, arbitrary: fc.base64String() }, fc.jsonValue({ maxDepth: 1 })),
          type: fc.constant('audio'),
          sample_rate: rate,
          sr: rate,
          format: fc.constantFrom('pcm_s16le', 'opus'),
          enc: fc.constantFrom('pcm_s16le', 'mulaw', 'alaw', 'opus'),
          idx: fc.constantFrom(0, 7, -1, 0.5, '0'),
          samples: fc.constantFrom(2, -1, null),
          chunk_id: fc.constantFrom(0, 2, -1),
          context_id: fc.constantFrom('a', 7),
          inner: fc.dictionary(fc.constantFrom(key, 'type'), fc.base64String(), { maxKeys: 2 }),
        },
        { requiredKeys: [] },
      );
      fc.assert(
        fc.property(frames, fc.boolean(), (changes, isWhole) => {
          const frame = isWhole ? { ...audio, ...changes } : { inner: {}, ...changes };
          const fast = JSON.stringify(frame);
          // A tab before the value is valid JSON that only the full path reads.
          expect(read(fast)).toEqual(read(fast.replaceAll(`"${key}":`, `"${key}":\t`)));
        }),
        { numRuns: 150 },
      );
    });
  });

  it('reads or reports any frame, and never throws', () => {
    const names = [...new Set(known.flatMap(Object.keys)), '__proto__'];
    const values = [...new Set(known.flatMap(Object.values))];
    const near = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, fc.jsonValue({ maxDepth: 2 })),
    );
    const frame = fc.oneof(
      near.map((fields) => JSON.stringify(fields)),
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 10 }), (frames) => {
        const wire = protocolOf(endpoint).open({ settings: {}, key: 'key' });
        for (const { type } of frames.flatMap((one) => wire.decode(one))) expect(type).toMatch(/^\w+$/);
      }),
    );
  });
});
