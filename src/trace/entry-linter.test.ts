import { expect, it } from 'vitest';
import { EntryLinter } from './entry-linter.ts';

const ADDRESS = 'wss://host.test/v1/text-to-speech/a/stream-input?output_format=pcm_24000&auto_mode=true';

/** The rules that entries of one connection break. */
function found(
  entries: readonly { direction: 'connection' | 'out'; kind: string; payload: object }[],
): string[] {
  const linter = new EntryLinter('elevenlabs-stream');
  return entries.flatMap(({ payload, ...entry }, index) =>
    linter
      .take({ ...entry, index, atUs: index * 1000, connection: 1 }, JSON.stringify(payload))
      .map(({ id, frame }) => `${id} at ${frame}`),
  );
}

const opening = (address: string) =>
  ({ direction: 'connection', kind: 'opening', payload: { address } }) as const;
const opened = { direction: 'connection', kind: 'opened', payload: {} } as const;
const sent = (text: string) => ({ direction: 'out', kind: '', payload: { text } }) as const;

it('applies the rules of the address to a connection that was recorded as opened', () => {
  expect(found([opening(ADDRESS), opened, sent('Hel'), sent('lo')])).toEqual(['auto-mode-fragment at 3']);
});

it('applies them to an imported one, which opens with its first message', () => {
  const unknown = `${ADDRESS}&mood=good`;
  expect(found([opening(unknown), sent('Hel'), sent('lo')])).toEqual([
    'unknown-parameter at 1',
    'auto-mode-fragment at 2',
  ]);
});

it('applies none without an address', () => {
  expect(found([opened, sent('Hel'), sent('lo')])).toEqual([]);
});
