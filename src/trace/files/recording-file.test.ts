import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '../entry.ts';
import { ImportError } from './import-error.ts';
import { type ReadLimits, RecordingReader, writeRecording } from './recording-file.ts';
import { anyEntries, entriesOf, infoOf, joinedText, readRecording } from './testing/recordings.ts';

const FRAME = entriesOf([
  {
    gapUs: 10,
    direction: 'in',
    connection: 1,
    opcode: 'text',
    kind: 'audio',
    turn: 1,
    context: null,
    chunk: 0,
    audioMs: 20,
    payload: '{"audio":"AAA="}',
  },
]);

const written = (entries: readonly RecordEntry[]) => joinedText(writeRecording(infoOf(entries), entries));

/** Reads text in parts, and gives all that came of it. */
function read(parts: readonly string[], limits: Partial<ReadLimits> = {}) {
  const reader = new RecordingReader(limits);
  const entries = parts.flatMap((part) => reader.push(part));
  const end = reader.finish();
  return { ...end, entries: [...entries, ...end.entries] };
}

/** The error that reading this text ends with. */
function errorOf(text: string, limits: Partial<ReadLimits> = {}): ImportError {
  try {
    read([text], limits);
  } catch (error) {
    if (error instanceof ImportError) return error;
    throw error;
  }
  throw new Error('It was read without an error.');
}

describe('our own format', () => {
  it('reads back any recording, written as UTF-8 and cut into any parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEntries,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        async (entries, cuts) => {
          const text = new TextDecoder().decode(new TextEncoder().encode(await written(entries)));
          const at = cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b);
          const parts = [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
          expect(read(parts)).toEqual({ entries, info: infoOf(entries), warnings: [] });
        },
      ),
    );
  });

  it('reads a stream of parts in batches', async () => {
    const reading = readRecording([await written(FRAME)]);
    expect(await reading.next()).toEqual({ done: false, value: FRAME });
    expect(await reading.next()).toEqual({ done: true, value: { info: infoOf(FRAME), warnings: [] } });
  });

  it('is written in pieces of whole lines, so that a long recording is never one string', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ ...FRAME[0], index }) as RecordEntry);
    const sizes: number[] = [];
    for await (const piece of writeRecording(infoOf(many), many)) {
      expect(piece.endsWith('\n')).toBe(true);
      if (sizes.length === 0) expect(piece).toMatch(/^\{"format":"voicewire-recording","version":1,/);
      sizes.push(piece.length);
    }
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThan(70_000);
  });
});

describe('a file that was cut off', () => {
  it('gives what could be read and a warning, wherever it was cut behind the first line', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntries, fc.double({ min: 0, max: 1, noNaN: true }), async (entries, where) => {
        const text = await written(entries);
        const head = text.indexOf('\n') + 1;
        const cut = text.slice(0, head + Math.floor(where * (text.length - 1 - head)));
        const { warnings, info, ...rest } = read([cut]);
        // A line without its end is whole all the same where only the line feed is missing.
        fc.pre(!cut.endsWith('}}'));
        expect(warnings.join(' ')).toMatch(/cut off/);
        expect(rest.entries).toEqual(entries.slice(0, rest.entries.length));
        expect(info.entries).toBe(rest.entries.length);
        expect(rest.entries.length).toBeGreaterThanOrEqual(cut.slice(head).split('\n').length - 1);
      }),
    );
  });

  it('says how many entries there should have been', async () => {
    const lines = (await written([...FRAME, ...FRAME.map((entry) => ({ ...entry, index: 1 }))])).split('\n');
    lines.splice(2, 1);
    expect(read([lines.join('\n')]).warnings).toEqual([
      'The file says that it holds 2 entries; there are 1.',
    ]);
  });
});

describe('hostile files', () => {
  const header = JSON.stringify({ format: 'voicewire-recording', version: 1, info: infoOf([]) });
  const good = {
    atUs: 1,
    direction: 'in',
    connection: 1,
    opcode: 'text',
    bytes: 2,
    kind: 'audio',
    text: '{}',
  };
  const binary = { ...good, opcode: 'binary', text: undefined };
  const withEntry = (entry: unknown) =>
    `${header}\n${JSON.stringify({ ...good })}\n${JSON.stringify(entry)}\n`;

  it.each<[string, string, string, string]>([
    ['nothing', '', '', 'an empty file'],
    ['a text', 'hello\n', '', 'hello'],
    ['HTML', '<!doctype html>\n', '', '“<”'],
    ['JSON of another kind', '{"log":{}}\n', '', 'something else'],
    ['a list', '[]\n', '', 'something else'],
    ['another format', '{"format":"other"}\n', 'format', '"other"'],
    ['a version to come', `${header.replace('"version":1', '"version":2')}\n`, 'version', '2'],
    ['no info', '{"format":"voicewire-recording","version":1}\n', 'info', 'nothing'],
    [
      'a beginning that no date has',
      `${header.replace(/"startedAtMs":[\d.]+/, '"startedAtMs":1e300')}\n`,
      'info.startedAtMs',
      '1e+300',
    ],
    ['a wrong type in the info', `${header.replace('"r1"', '7')}\n`, 'info.id', '7'],
  ])('refuses %s as the first line', (_, text, path, found) => {
    const { place, ...error } = errorOf(text);
    expect({ ...place, found: error.found }).toMatchObject({ line: 1, path, found });
  });

  it.each<[string, unknown, string, string, string]>([
    ['a negative time', { ...good, atUs: -1 }, 'atUs', 'at least 0', '-1'],
    ['a time that goes back', { ...good, atUs: 0 }, 'atUs', 'at least 1, as in the entry before', '0'],
    ['an inexact time', { ...good, atUs: 2 ** 60 }, 'atUs', 'at most 9007199254740991', String(2 ** 60)],
    ['a direction that is none', { ...good, direction: 'up' }, 'direction', '"out", "in"', '"up"'],
    ['a connection 0', { ...good, connection: 0 }, 'connection', '', '0'],
    ['a wrong type', { ...good, kind: { a: 1 } }, 'kind', 'a string', '{"a":1}'],
    ['a list for a payload', { ...good, text: [] }, 'text', 'a string', '[]'],
    ['no payload', { ...good, text: undefined }, 'text', 'the payload as a string', 'nothing'],
    ['text in a binary frame', { ...good, opcode: 'binary' }, 'text', 'no text with opcode binary', 'some'],
    ['bytes in a text frame', { ...good, base64: 'AA==' }, 'base64', 'no bytes with opcode text', 'some'],
    ['base64 that is none', { ...binary, base64: '<b>' }, 'base64', 'base64', 'something else'],
    ['a context like a book', { ...good, context: 'x'.repeat(5000) }, 'context', 'at most 4096', '5000'],
    ['a number', 5, '', 'an object', '5'],
    ['null', null, '', 'an object', 'null'],
  ])('refuses %s and says where', (_, entry, path, expected, found) => {
    const error = errorOf(withEntry(entry));
    expect(error.place).toMatchObject({ line: 3, path });
    expect(error.expected).toContain(expected);
    expect(error.found).toContain(found);
  });

  it('names the column of the value that is wrong', () => {
    const error = errorOf(withEntry({ ...good, bytes: 'many' }));
    expect(error.message).toBe('Line 3, column 67, bytes: expected a number, found "many".');
  });

  it('a broken line in the middle is an error, only the last one can have been cut off', () => {
    expect(errorOf(`${header}\n{"atUs":1,\n${JSON.stringify(good)}\n`).place).toEqual({
      line: 2,
      column: 11,
      path: '',
    });
  });

  it('takes nothing behind the line that counts', () => {
    expect(errorOf(`${header}\n{"end":{"entries":0}}\n${JSON.stringify(good)}\n`).place.line).toBe(3);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'a key named %s does nothing',
    (key) => {
      const text = withEntry(null).replace(
        'null',
        `${JSON.stringify(good).slice(0, -1)},"${key}":{"polluted":true}}`,
      );
      const { entries } = read([text]);
      expect(entries).toHaveLength(2);
      expect(Object.keys(entries[1] ?? {})).not.toContain(key);
      expect(Object.getPrototypeOf(entries[1])).toBe(Object.prototype);
      expect('polluted' in {}).toBe(false);
    },
  );

  it('keeps markup, NUL and half surrogates as the characters they are', () => {
    const text = '<img src=x onerror=alert(1)>\0\ud800';
    expect(read([withEntry({ ...good, text, context: text })]).entries[1]).toMatchObject({
      payload: text,
      context: text,
    });
  });

  it.each<[string, string, Partial<ReadLimits>, string]>([
    ['depth', `${header}\n${'['.repeat(100_000)}\n`, {}, 'at most 8 lists and objects inside one another'],
    ['values of a line', `${header}\n[${'1,'.repeat(5000)}1]\n`, {}, 'at most 1000 values'],
    [
      'line length',
      `${header}\n${'x'.repeat(3000)}`,
      { lineChars: 2000 },
      'at most 2000 characters in a line',
    ],
    ['entries', withEntry(good), { entries: 1 }, 'at most 1 entries'],
    ['kinds and contexts', withEntry(good), { names: 0 }, 'at most 0 different kinds and contexts'],
    [
      'characters of contexts',
      [
        header,
        ...Array.from({ length: 4200 }, (_, i) => JSON.stringify({ ...good, context: `${i}`.padEnd(4096) })),
      ].join('\n'),
      {},
      'at most 16777216 characters of kinds and contexts',
    ],
    ['size', withEntry(good), { totalChars: 400 }, 'at most 400 characters in all'],
  ])('stops at the limit of %s', (_, text, limits, expected) => {
    expect(errorOf(text, limits).expected).toBe(expected);
  });

  it('holds no more than one line, however long it is without an end', () => {
    const reader = new RecordingReader({ lineChars: 10_000 });
    reader.push(`${header}\n`);
    const part = 'x'.repeat(100);
    expect(() => {
      for (let i = 0; i < 200; i += 1) reader.push(part);
    }).toThrow(ImportError);
  });

  it('anything at all is read or refused with a place, and never ends in another error', async () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.json({ maxDepth: 4 }),
      fc.constantFrom(header, JSON.stringify(good), '{"end":{"entries":1}}', '\ufeff', '"', '{'),
    );
    const lines = fc
      .tuple(fc.boolean(), fc.array(noise, { maxLength: 6 }))
      .map(([begun, list]) => [...(begun ? [header] : []), ...list].join('\n'));
    const text = await written(FRAME);
    const changed = fc
      .tuple(fc.nat(text.length - 1), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([at, change]) => text.slice(0, at) + change + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(lines, changed), (hostile) => {
        try {
          read([hostile]);
        } catch (error) {
          expect(error).toBeInstanceOf(ImportError);
          if (error instanceof ImportError) expect(error.place.line).toBeGreaterThan(0);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('replaces secrets that have a name, in payloads and in the address', () => {
    const payload = JSON.stringify({ api_key: 'sk_canary_123', text: 'hi' });
    const address = 'wss://h/ws?api_key=sk_canary_123';
    const text = withEntry({ ...good, text: payload }).replace(infoOf([]).address, address);
    const { entries, info } = read([text]);
    expect(entries[1]?.payload).toBe('{"api_key":"[key]","text":"hi"}');
    expect(info.address).toBe('wss://h/ws?api_key=[key]');
  });
});
