import { expect, it } from 'vitest';
import { ClientIds } from './client-ids.ts';

const frame = (id: string, more = ''): string => `{"context_id":${id}${more}}`;

it('knows an id in every way that JSON writes it', () => {
  const ids = new ClientIds(['context_id'], [frame('"\\u00e9"')]);
  expect(ids.recorded(frame('"caf\\u00e9"'))).toBe(frame('"é"'));
  expect(ids.recorded(frame('"café"'))).toBe(frame('"é"'));
  expect(ids.ofClient(frame('"é"'))).toBe(frame('"café"'));
});

it('knows a field in the spelling of the client and in that of the server', () => {
  const ids = new ClientIds(['context_id', 'contextId'], [frame('"r"')]);
  expect(ids.recorded(frame('"c"'))).toBe(frame('"r"'));
  expect(ids.ofClient('{"contextId":"r"}')).toBe('{"contextId":"c"}');
});

it('leaves a frame without an own id as it is written', () => {
  const ids = new ClientIds(['context_id'], []);
  const odd = '{ "context_id" : "\\u00e9", "text": "\\"context_id\\":\\"a\\"" }';
  expect(ids.ofClient(odd)).toBe(odd);
});

it('takes many recorded ids in order of their first use, and each once', () => {
  const recorded = Array.from({ length: 100_000 }, (_, number) => frame(`"r${number}"`));
  const ids = new ClientIds(['context_id'], recorded);
  for (const number of [0, 1, 2, 1]) expect(ids.recorded(frame(`"c${number}"`))).toBe(frame(`"r${number}"`));
}, 5000);

it('maps no endless id', () => {
  const ids = new ClientIds(['context_id'], [frame('"r"')]);
  const endless = frame(`"${'x'.repeat(2000)}"`);
  expect(ids.recorded(endless)).toBe(endless);
  expect(ids.recorded(frame('"c"'))).toBe(frame('"r"'));
});
