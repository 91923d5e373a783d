import { expect, it } from 'vitest';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { into, lint, out, type Step } from '../../lint/recordings.test-helper.ts';
import { charactersFrame } from './frames.ts';
import { openParrotLinter } from './lint.ts';
import { parrotProtocol } from './parrot.ts';

const open = () => parrotProtocol.open({ settings: { rate: 44_100 }, key: '' });
const ofType = <Type extends SpeechEvent['type']>(events: readonly SpeechEvent[], type: Type) =>
  events.filter((event): event is Extract<SpeechEvent, { type: Type }> => event.type === type);
const CLOSED = ['chunkCompleted', 'audioEnded', 'turnEnded'];

it('joins characters to words over frames, with offsets in UTF-16, and completes the last one at the close', () => {
  const dialect = open();
  const text = 'Hi 𝄞𝄞 – Ada!';
  const pieces = ['Hi', ' 𝄞', '𝄞 –', ' A', 'da!'];
  let from = 0;
  const events = pieces.flatMap((piece) => {
    const frame = charactersFrame('t1', piece, from, 10);
    from += [...piece].length * 10;
    return dialect.decode(frame);
  });
  expect(ofType(events, 'chunkStarted').at(-1)?.text).toBe(text);
  const atEnd = dialect.closed?.(1000, '') ?? [];
  const words = ofType([...events, ...atEnd], 'words').flatMap((event) => event.words);
  expect(words.map(({ word, startMs, endMs }) => [word, startMs, endMs])).toEqual([
    ['Hi', 0, 20],
    ['𝄞𝄞', 30, 50],
    ['–', 60, 70],
    ['Ada!', 80, 120],
  ]);
  for (const { word, charStart, charEnd } of words) expect(text.slice(charStart, charEnd)).toBe(word);
  expect(atEnd.map(({ type }) => type)).toEqual(['words', ...CLOSED]);
});

it('makes an id for each turn, which the session never sees', () => {
  const [first, second] = [open(), open()];
  const ids = [first, second].map((dialect) => {
    const [frame = ''] = dialect.encode({ kind: 'say', context: '', text: 'Hi.' });
    expect(parrotProtocol.readIntents(frame)).toEqual([{ kind: 'say', context: '', text: 'Hi.' }]);
    return JSON.parse(String(frame)).id;
  });
  expect(ids[1]).not.toBe(ids[0]);
  const [event] = first.decode(charactersFrame('of another program', 'Hi', 0, 10));
  expect(event).toMatchObject({ type: 'chunkStarted', context: '', text: 'Hi' });
  expect(first.decode(charactersFrame('another', 'Hi', 0, 10))).toEqual([
    { type: 'malformed', problem: 'id: expected of another program, got another' },
  ]);
});

it('gives audio the format of the address, or the recorded one', () => {
  const format = { encoding: 'pcm_s16le', sampleRate: 8000 } as const;
  const bytes = new Uint8Array(2);
  const [, live] = open().decode(bytes);
  expect(live).toMatchObject({ type: 'audio', encoding: 'mp3', sampleRate: 44_100, payload: { bytes } });
  const [, recorded] = parrotProtocol.open({ settings: { rate: 44_100 }, key: '', format }).decode(bytes);
  expect(recorded).toMatchObject(format);
});

it.each<[string, number, string[]]>([
  ['ends the turn with code 1000', 1000, CLOSED],
  ['loses it with any other', 1006, []],
])('the close of the connection %s', (_, code, types) => {
  const dialect = open();
  expect(dialect.closed?.(code, '')).toEqual([]);
  dialect.encode({ kind: 'say', context: '', text: 'Hi.' });
  expect(dialect.closed?.(code, '')?.map(({ type }) => type)).toEqual(types);
});

it('says how much was played with a cancel, and what was heard, and the close ends nothing then', () => {
  const dialect = open();
  dialect.encode({ kind: 'say', context: '', text: 'Hi.' });
  const [frame = ''] = dialect.encode({ kind: 'cancel', context: null, playedMs: 480.4 });
  const { id, ...rest } = JSON.parse(String(frame));
  expect(rest).toEqual({ cancel: true, played_ms: 480 });
  expect(dialect.decode(JSON.stringify({ id, cancelled: true, heard: 'H' }))).toEqual([
    { type: 'interrupted', context: null, heard: 'H' },
  ]);
  expect(dialect.closed?.(1000, '')).toEqual([]);
});

const TEXT = { id: 't1', text: 'Hi.' };
const END = { id: 't1', end: true };
const CANCEL = { id: 't1', cancel: true, played_ms: 1 };
const CANCELLED = { id: 't1', cancelled: true, heard: '' };
const AUDIO = new Uint8Array(4);
const whole = (...steps: Step[]): Step[] => [{ open: true }, ...steps, { close: 1000 }];

it.each<[string, Step[], string[]]>([
  ['a turn', whole(out(TEXT), out(END), into(charactersFrame('t1', 'Hi.', 0, 10)), into(AUDIO)), []],
  ['a cancel', whole(out(TEXT), into(AUDIO), out(CANCEL), into(AUDIO), into(CANCELLED)), []],
  [
    'a connection for each turn',
    [1, 2].flatMap((on) =>
      whole(out(TEXT), out(END), into(AUDIO), into(CANCELLED)).map((step) => ({ ...step, on })),
    ),
    [],
  ],
  ['text after the end', whole(out(TEXT), out(END), out(TEXT)), ['text-after-end']],
  [
    'audio after a cancel',
    whole(out(TEXT), out(CANCEL), into(CANCELLED), into(AUDIO)),
    ['audio-after-cancel'],
  ],
  [
    'characters without times',
    whole(out(TEXT), into({ id: 't1', characters: ['H'], start_ms: [], end_ms: [] })),
    ['server-shape'],
  ],
])('the linter judges %s', (_, steps, rules) => {
  expect(lint(openParrotLinter(), steps).map(({ id }) => id)).toEqual(rules);
});
