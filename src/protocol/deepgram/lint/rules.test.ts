import { describe, expect, it } from 'vitest';
import { into, out, type Step } from '../../lint/recordings.test-helper.ts';
import {
  audio,
  clear,
  cleared,
  close,
  connected,
  ended,
  flush,
  flushed,
  flushedOf,
  idsOn,
  interrupt,
  interrupted,
  metadata,
  onFlux,
  onSpeak,
  saidOn,
  sessionEnded,
  speak,
  started,
  warned,
} from './recordings.test-helper.ts';
import { FLUX_RULES, type FluxRuleId, SPEAK_RULES, type SpeakRuleId } from './rules.ts';

/** For each rule the smallest recordings that break it, and nothing else. */

type Recording<Id> = [Id, string, Step[]];

const OPEN = [onSpeak(), metadata];
const ASKED = [...OPEN, speak(), flush];
const SPOKEN = [...ASKED, audio(), flushed()];
const FLUX_OPEN = [onFlux(), connected];
const FLUX_ASKED = [...FLUX_OPEN, speak(), flush, started()];
const FLUX_SPOKEN = [...FLUX_ASKED, audio(), flushedOf(), ended()];
const onOther = (steps: readonly Step[]): Step[] => steps.map((step) => ({ ...step, on: 2 }));
const wordsOf = (line: string) => line.split(' ').map((word) => speak(word));
const pieces = (count: number, length: number) =>
  Array.from({ length: count }, () => speak(`${'Aa aaaaa. '.repeat(length / 10)}`, 100));
const HOUR_LATER: Step = { pass: 3_599_000 };

/** Of both sockets: begins with an open connection and its greeting. */
const common = (
  open: Step[],
  spoken: Step[],
  asked: Step[],
  at: typeof onSpeak,
  greeting: Step,
): Recording<SpeakRuleId & FluxRuleId>[] => [
  ['not-json', 'text of the server', [...open, into('hello')]],
  ['message-too-big', 'over 1 MiB', [...open, out('a'.repeat(1024 * 1024 + 1))]],
  ['new-field', 'of a later version', [...open, into({ type: 'Error', code: 'x', mood: 'good' })]],
  ['lone-surrogate', 'an emoji cut in two', [...open, out('{"type":"Speak","text":"Hi \\ud83d"}')]],
  ['language-script', 'Greek with an English model', [...open, out({ type: 'Speak', text: 'Καλημέρα. ' })]],
  [
    'connection-per-turn',
    'two connections',
    [...spoken, close, { close: 1000 }, ...onOther([...open, speak()])],
  ],
  ['binary-message', 'of the client', [...open, out(new Uint8Array(4))]],
  ['server-shape', 'a code that is a number', [...open, into({ type: 'Warning', code: 1, warn_code: 'X' })]],
  ['client-shape', 'a text that is a number', [...open, out({ type: 'Speak', text: 1 })]],
  ['unknown-kind', 'a pong', [...open, into({ type: 'Pong' })]],
  ['warning-without-code', 'words alone', [...open, into({ type: 'Warning', description: 'No.' })]],
  ['greeting', 'another frame', [at(), warned('X')]],
  ['greeting', 'twice', [...open, greeting]],
  ['turn-cut-off', 'while speaking', [...asked, { close: 1006 }]],
  ['answer-absent', 'to a Flush', [...asked, { pass: 11_000 }]],
  ['socket-old', 'after 59 minutes', [...open, HOUR_LATER, speak()]],
  ['unknown-type', 'Reset', [...open, out({ type: 'Reset' })]],
  ['unknown-field', 'a voice', [...open, out({ type: 'Speak', text: 'Hi. ', voice: 'x' })]],
  ['key-misplaced', 'in the address', [at('&token=x')]],
  ['key-misplaced', 'in a message', [...open, out({ type: 'Flush', api_key: 'x' })]],
  ['setting-refused', 'a rate of other encodings', [at('', undefined, 'encoding=mulaw&sample_rate=24000')]],
  ['setting-refused', 'a speed of 2', [at('&speed=2')]],
  ['unknown-parameter', 'of REST', [at('&container=none')]],
  ['text-empty', 'no characters', [...open, speak('')]],
  ['text-empty', 'a blank turn', [...open, speak(' '), flush]],
  ['close-missing', 'the client left', [...spoken, { close: 1000 }]],
  ['refused-again', 'after 1008', [...open, speak(), { close: 1008 }, ...onOther([...open, speak()])]],
  ['words-glued', 'sentences', [...open, speak('Hello there.'), speak('How are you?')]],
  [
    'words-glued',
    'words',
    [...open, ...wordsOf('the quick brown fox jumps over the lazy dog and then all of the others follow it')],
  ],
  ['rate-missing', 'an encoding alone', [at('', undefined, 'encoding=linear16')]],
  ['flush-missing', 'for 11 s', [...open, speak(), { pass: 11_000 }]],
];

const ON_SPEAK: Recording<SpeakRuleId>[] = [
  ...common(OPEN, SPOKEN, ASKED, onSpeak, metadata),
  ['odd-bytes', 'of a turn', [...ASKED, into(new Uint8Array(3)), flushed()]],
  ['model-family', 'of Flux', [onSpeak('', 'flux-alexis-en')]],
  ['speech-unasked', 'before any text', [...OPEN, audio()]],
  ['speech-unasked', 'after Flushed', [...SPOKEN, audio()]],
  ['speech-unasked', 'after Cleared', [...ASKED, clear, audio(), cleared(), audio()]],
  ['answer-unasked', 'Flushed', [...OPEN, flushed()]],
  ['answer-unasked', 'Flushed of text', [...OPEN, speak(), flushed()]],
  ['answer-unasked', 'Cleared', [...OPEN, cleared()]],
  ['answer-absent', 'to a Clear', [...OPEN, clear, { pass: 11_000 }]],
  ['server-shape', 'half a number', [...ASKED, flushed(0.5)]],
  ['numbers-backwards', 'repeated', [...SPOKEN, speak(), flush, audio(), flushed(0)]],
  ['text-too-long', 'of 2,010', [...OPEN, ...pieces(1, 2010)]],
  ['too-many-characters', 'in five pieces', [...OPEN, ...pieces(5, 500)]],
  [
    'too-many-flushes',
    '21 in a minute',
    [
      ...OPEN,
      ...Array.from({ length: 21 }, (_, at) => [speak(undefined, 2000), flush, audio(), flushed(at)]).flat(),
    ],
  ],
  [
    'flush-mid-sentence',
    'behind a comma',
    [...OPEN, speak('Hello there, my dear '), flush, speak('friends of old. ')],
  ],
  [
    'tiny-turns',
    'word after word',
    [...OPEN, ...['One. ', 'Two. ', 'Three. ', 'Four. '].flatMap((text) => [speak(text), flush])],
  ],
];

const ON_FLUX: Recording<FluxRuleId>[] = [
  ...common(FLUX_OPEN, FLUX_SPOKEN, FLUX_ASKED, onFlux, connected),
  ['odd-bytes', 'of a turn', [...FLUX_ASKED, into(new Uint8Array(3)), ended('a', 0)]],
  ['model-family', 'of Aura', [onFlux('', 'aura-2-thalia-en')]],
  ['setting-refused', 'no model', [onFlux('', '')]],
  ['setting-refused', 'a step of 0.01', [onFlux('&speed=1.01')]],
  ['setting-refused', 'another expressivity', [onFlux('&expressivity=3')]],
  ['setting-refused', 'by Configure', [...FLUX_OPEN, out({ type: 'Configure', speed: 1.02 })]],
  ['client-shape', 'another offset', [...FLUX_OPEN, out({ type: 'Interrupt', playback_offset: 3 })]],
  ['client-shape', 'a field of Interrupt', [...FLUX_OPEN, out({ type: 'Interrupt', at: 3 })]],
  ['speech-unasked', 'before SpeechStarted', [...FLUX_OPEN, speak(), audio()]],
  ['speech-unasked', 'after SpeechMetadata', [...FLUX_SPOKEN, audio()]],
  [
    'speech-unasked',
    'after SpeechInterrupted',
    [...FLUX_ASKED, audio(), interrupt(400), interrupted('a', 400, 'Hi'), audio()],
  ],
  ['answer-unasked', 'Flushed', [...FLUX_OPEN, speak(), started(), flushedOf()]],
  ['answer-unasked', 'SpeechInterrupted', [...FLUX_ASKED, audio(), interrupted()]],
  ['turn-overlap', 'of two', [...FLUX_ASKED, speak(), flush, started('b')]],
  ['speech-id-unknown', 'of SpeechMetadata', [...FLUX_ASKED, audio(), ended('b')]],
  ['speech-id-unknown', 'of Flushed', [...FLUX_SPOKEN, flush, flushedOf('b')]],
  ['speech-id-unknown', 'of a turn that is over', [...FLUX_SPOKEN, ended()]],
  [
    'speech-id-unknown',
    'of an interrupted turn',
    [...FLUX_ASKED, audio(), interrupt(400), interrupted('a', 400, 'Hi'), ended()],
  ],
  [
    'answer-absent',
    'to an Interrupt',
    [...FLUX_OPEN, speak(), started(), audio(), interrupt(400), { pass: 11_000 }],
  ],
  ['duration-audio', 'of twice the audio', [...FLUX_ASKED, audio(), ended('a', 1000)]],
  ['session-totals', 'of audio', [...FLUX_SPOKEN, close, sessionEnded(400, 25)]],
  [
    'session-totals',
    'of an interrupted turn',
    [...FLUX_ASKED, audio(), interrupt(200), interrupted('a', 200, 'Hi'), close, sessionEnded(500, 25)],
  ],
  ['spoken-text', 'missing', [...FLUX_ASKED, audio(), interrupt(400), interrupted('a', 400)]],
  ['spoken-text', 'unasked', [...FLUX_ASKED, audio(), interrupt(), interrupted('a', 400, 'Hi')]],
  [
    'idle-too-long',
    'by the server',
    [...FLUX_SPOKEN, { pass: 60_000 }, into({ type: 'Error', code: 'NET-0004' }), { close: 1011 }],
  ],
  ['offset-wrong', 'of later audio', [...FLUX_ASKED, audio(), interrupt(700)]],
  [
    'offset-wrong',
    'before the one before',
    [
      ...FLUX_ASKED,
      audio(),
      interrupt(400),
      interrupted('a', 400, 'Hi'),
      speak(),
      started('b'),
      audio(),
      interrupt(400),
    ],
  ],
  ['interrupt-ignored', 'without a turn', [...FLUX_SPOKEN, interrupt()]],
  ['interrupt-ignored', 'beside another', [...FLUX_ASKED, audio(), interrupt(400), interrupt(450)]],
  ['ended-at-flushed', 'before the audio', [...FLUX_ASKED, flushedOf(), { close: 1000 }]],
  ['interrupt-without-offset', 'after 2 s', [...FLUX_ASKED, audio(2000), interrupt()]],
  [
    'flush-mid-sentence',
    'behind a comma',
    [...FLUX_OPEN, speak('Hello there, my dear '), flush, speak('friends of old. ')],
  ],
  [
    'tiny-turns',
    'word after word',
    [...FLUX_OPEN, ...['One. ', 'Two. ', 'Three. ', 'Four. '].flatMap((text) => [speak(text), flush])],
  ],
];

describe.each([
  ['speak', SPEAK_RULES, ON_SPEAK],
  ['flux', FLUX_RULES, ON_FLUX],
] as const)('%s', (socket, book, recordings) => {
  it.each(recordings.map(([rule, what, steps]) => [rule, what, steps] as const))(
    '%s: %s',
    (rule, _, steps) => {
      expect(idsOn(socket, steps)).toEqual([rule]);
    },
  );

  it('has a recording for each of at least twenty rules', () => {
    const covered = new Set<string>(recordings.map(([id]) => id));
    expect(Object.keys(book).filter((id) => !covered.has(id))).toEqual([]);
    expect(covered.size).toBeGreaterThan(20);
  });

  it('never repeats a key', () => {
    const secret = 'dg_live_canary';
    const open = socket === 'speak' ? onSpeak : onFlux;
    const said = saidOn(socket, [
      open(`&token=${secret}&other=${secret}`),
      out({ type: 'Flush', api_key: secret, voice: secret }),
    ]);
    expect(said.length).toBeGreaterThan(3);
    expect(said.join()).not.toContain(secret);
  });

  it('applies no rule of settings to a connection of unknown address', () => {
    const greeting = socket === 'speak' ? metadata : connected;
    expect(idsOn(socket, [{ open: true }, greeting, speak(), close])).toEqual([]);
  });
});

it('names the message that is meant', () => {
  expect(saidOn('speak', [...OPEN, out({ type: 'Reset' })]).join()).toContain('its name is Clear');
  expect(saidOn('speak', [...OPEN, out({ type: 'KeepAlive' })]).join()).toContain('ping');
  expect(saidOn('flux', [...FLUX_OPEN, out({ type: 'Clear' })]).join()).toContain('it is Interrupt here');
});

it('takes a new connection for another voice as no waste', () => {
  const other = [onSpeak('', 'aura-2-zeus-en'), metadata, speak()];
  expect(idsOn('speak', [...SPOKEN, close, { close: 1000 }, ...onOther(other)])).toEqual([]);
});
