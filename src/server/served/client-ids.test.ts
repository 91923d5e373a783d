import { expect, it } from 'vitest';
import { ClientIds, RecordedIds } from './client-ids.ts';

function idsOf(fields: readonly string[], frames: readonly string[]): ClientIds {
  const recorded = new RecordedIds(fields);
  for (const each of frames) recorded.learn(each);
  return new ClientIds(recorded);
}

const frame = (id: string, more = ''): string => `{"context_id":${id}${more}}`;

it('knows an id in every way that JSON writes it', () => {
  const ids = idsOf(['context_id'], [frame('"\\u00e9"')]);
  expect(ids.recorded(frame('"caf\\u00e9"'))).toBe(frame('"é"'));
  expect(ids.recorded(frame('"café"'))).toBe(frame('"é"'));
  expect(ids.ofClient(frame('"é"'))).toBe(frame('"café"'));
});

it('knows a field in the spelling of the client and in that of the server', () => {
  const ids = idsOf(['context_id', 'contextId'], [frame('"r"')]);
  expect(ids.recorded(frame('"c"'))).toBe(frame('"r"'));
  expect(ids.ofClient('{"contextId":"r"}')).toBe('{"contextId":"c"}');
});

it('leaves a frame without an own id as it is written', () => {
  const ids = idsOf(['context_id'], []);
  const odd = '{ "context_id" : "\\u00e9", "text": "\\"context_id\\":\\"a\\"" }';
  expect(ids.ofClient(odd)).toBe(odd);
});

it('takes many recorded ids in order of their first use, and each once', () => {
  const recorded = Array.from({ length: 100_000 }, (_, number) => frame(`"r${number}"`));
  const ids = idsOf(['context_id'], recorded);
  for (const number of [0, 1, 2, 1]) expect(ids.recorded(frame(`"c${number}"`))).toBe(frame(`"r${number}"`));
}, 5000);

it('maps no endless id', () => {
  const ids = idsOf(['context_id'], [frame('"r"')]);
  const endless = frame(`"${'x'.repeat(2000)}"`);
  expect(ids.recorded(endless)).toBe(endless);
  expect(ids.recorded(frame('"c"'))).toBe(frame('"r"'));
});

it('keeps an id apart from one that it would look like', () => {
  const ids = idsOf(['context_id'], [frame('"r"')]);
  const read = ['"c"', '"r"', '"r+0"', '"r+1"', '"r"'].map((id) => ids.recorded(frame(id)));
  expect(new Set(read).size).toBe(4);
  for (const [at, id] of ['"c"', '"r"', '"r+0"', '"r+1"'].entries()) {
    expect(ids.ofClient(read[at] ?? '')).toBe(frame(id));
  }
});

it.each(['"context_id":"', '"context_id":', '"context_id"  ', '"context_id":"\\"', '"context_id":"a\\n'])(
  'reads a megabyte of %s as a server would',
  (shape) => {
    const text = shape.repeat(Math.ceil(2 ** 20 / shape.length));
    expect(idsOf(['context_id'], [text]).ofClient(text)).toBe(text);
  },
);

it('gives each client its own ids of one recording', () => {
  const recorded = new RecordedIds(['context_id']);
  recorded.learn(frame('"r"'));
  const clients = [new ClientIds(recorded), new ClientIds(recorded)];
  for (const [at, ids] of clients.entries()) expect(ids.recorded(frame(`"c${at}"`))).toBe(frame('"r"'));
});
