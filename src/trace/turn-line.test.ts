import { expect, it } from 'vitest';
import type { Intent } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT, type SpeechEvent, type TurnTotals } from '#protocol/core/speech-event.ts';
import { LineTurn } from './line-turn.ts';
import { TurnLine } from './turn-line.ts';

type Step = Intent | SpeechEvent;

const NO_TOTALS = { audioSeconds: null, textChunks: null, audioFrames: null };
const ERROR = { type: 'error', message: 'No', name: null, requestId: null } as const;
const say = (text = 'Hi', context = ONLY_CONTEXT): Step => ({ kind: 'say', context, text });
const flush = (context = ONLY_CONTEXT): Step => ({ kind: 'flush', context });
const spoken = (text = 'Hi', context = ONLY_CONTEXT): Step[] => [say(text, context), flush(context)];
const cancel = (context: string | null = null): Step => ({ kind: 'cancel', context });
const started = (context = ONLY_CONTEXT): Step => ({ type: 'chunkStarted', context, chunk: 0, text: 'Hi' });
const completed = (context = ONLY_CONTEXT): Step => ({
  type: 'chunkCompleted',
  context,
  chunk: 0,
  audioSeconds: null,
  generationMs: null,
});
const words = (context = ONLY_CONTEXT): Step => ({
  type: 'words',
  context,
  chunk: 0,
  words: [{ word: 'Hi', startMs: 0, endMs: 1, charStart: 0, charEnd: 2 }],
});
const ended = (context = ONLY_CONTEXT, totals: TurnTotals = NO_TOTALS): Step => ({
  type: 'turnEnded',
  context,
  totals,
  usage: null,
});
const interrupted = (context: string | null = null): Step => ({ type: 'interrupted', context });
const refused: Step = { ...ERROR, context: ONLY_CONTEXT, code: 400, isRefusal: true };
const broken: Step = { ...ERROR, context: ONLY_CONTEXT, code: 500 };

/** The number of each step's turn, with how it belongs where that is not expected, and what became of turns. */
function follow(steps: readonly Step[], confirmsCancel = true, flushEndsTurn = true): string {
  let count = 0;
  const line = new TurnLine((context) => {
    count += 1;
    return new LineTurn(count, context);
  });
  line.rules = { confirmsCancel, flushEndsTurn, failsEveryContext: true, hasRoom: () => true };
  return steps
    .map((step) => {
      if ('kind' in step) {
        const { turn } = line.sent(step, 0);
        return `${turn?.id ?? '-'}`;
      }
      const { turn, how, effects } = line.received(step, 0, true);
      if (how !== 'late') turn?.take(step, 0);
      const became = effects.flatMap((effect) =>
        effect.kind === 'ended' ? [` ${effect.turn.id} ${effect.turn.state}`] : [],
      );
      return `${turn?.id ?? '-'}${how === 'expected' ? '' : ` ${how}`}${became.join('')}`;
    })
    .join(', ');
}

it.each<[string, Step[], string]>([
  [
    'turns are answered in the order of sending, and text after a flush is the next',
    [...spoken(), ...spoken(), started(), ended(), started(), ended()],
    '1, 1, 2, 2, 1, 1 1 ended, 2, 2 2 ended',
  ],
  [
    'white space begins no turn, and continues one',
    [say(' '), say(), say(' '), flush(), flush()],
    '-, 1, 1, 1, -',
  ],
  [
    'frames of a cancelled turn are late until it is confirmed, also where text went out before',
    [...spoken(), started(), cancel(), completed(), ...spoken(), completed(), interrupted(), started()],
    '1, 1, 1, 1, 1 late, 2, 2, 1 late, 1, 2',
  ],
  [
    'the end of a turn that crosses with its cancel leaves the confirmation to come',
    [...spoken(), started(), cancel(), ended(), interrupted(), ...spoken(), started()],
    '1, 1, 1, 1, 1 late, 1, 2, 2, 2',
  ],
  [
    'a flush without text has an end of its own, or none',
    [
      ...spoken(),
      flush(),
      ...spoken(),
      flush(),
      ...spoken(),
      started(),
      ...[1, 2, 3].map(() => ended()),
      started(),
    ],
    '1, 1, -, 2, 2, -, 3, 3, 1, 1 1 ended, -, 2 2 ended, 3',
  ],
  [
    'an end with speech answers no flush without text',
    [flush(), ...spoken(), ended(ONLY_CONTEXT, { ...NO_TOTALS, textChunks: 1 })],
    '-, 1, 1, 1 1 ended',
  ],
  [
    'a cancel drops a flush without text',
    [flush(), cancel(), ...spoken(), interrupted(), ended()],
    '-, -, 1, 1, -, 1 1 ended',
  ],
  [
    'each cancel is confirmed for the turns before it',
    [cancel(), ...spoken(), cancel(), ...spoken(), interrupted(), started(), interrupted(), started()],
    '-, 1, 1, 1, 2, 2, -, 1 late, 1, 2',
  ],
  [
    'each cancel is confirmed for its context',
    [...spoken('a', 'a'), ...spoken('b', 'b'), cancel('b'), cancel('a'), interrupted('a'), started('b')],
    '1, 1, 2, 2, 2, 1, 1, 2 late',
  ],
  [
    'where the ends of several turns cross with their cancel, each has its own frames',
    [...spoken(), ...spoken(), cancel(), started(), ended(), started(), completed(), interrupted()],
    '1, 1, 2, 2, -, 1 late, 1 late, 2 late, 2 late, -',
  ],
  [
    'a context that opens again before its close is confirmed',
    [
      ...spoken('a', 'a'),
      { kind: 'closeContext', context: 'a', immediate: true },
      ...spoken('a', 'a'),
      { type: 'contextClosed', context: 'a', usage: null, timedOut: false },
      started('a'),
    ],
    '1, 1, 1, 2, 2, 1, 2',
  ],
  [
    'frames of a chunk behind interrupted are late, and the next chunk begins a turn',
    [started(), interrupted(), completed(), started()],
    '1 begun, 1 1 cancelled, 1 late, 2 begun',
  ],
  [
    'a cancel reaches every context, or the one that it names',
    [...spoken('a', 'a'), ...spoken('b', 'b'), cancel('a'), started('b'), started('a'), cancel()],
    '1, 1, 2, 2, 1, 2, 1 late, 2',
  ],
  [
    'words come after the end of their turn',
    [...spoken(), ...spoken(), started(), ended(), words(), started(), words()],
    '1, 1, 2, 2, 1, 1 1 ended, 1, 2, 2',
  ],
  [
    'a turn fails when all its messages were refused, is answered, and revives if it speaks',
    [...spoken(), ...spoken(), refused, ended(), started(), ...spoken(), refused, started()],
    '1, 1, 2, 2, 1 1 failed, 1, 2, 3, 3, 3 3 failed, 2',
  ],
  [
    'any other error ends the oldest turn, and the next is spoken',
    [...spoken(), ...spoken(), started(), broken, started()],
    '1, 1, 2, 2, 1, 1 1 failed, 2',
  ],
  [
    'an error of the connection fails every context',
    [...spoken('a', 'a'), ...spoken('b', 'b'), { ...ERROR, context: null, code: 500 }],
    '1, 1, 2, 2, 1 1 failed 2 failed',
  ],
  [
    'a dialect says which turn an error ends',
    [
      ...spoken(),
      ...spoken(),
      { ...ERROR, context: null, code: 404, isRefusal: true, ends: 'nothing' },
      { ...ERROR, context: null, code: 404, isRefusal: true, ends: 'newest' },
      started(),
    ],
    '1, 1, 2, 2, -, 2 2 failed, 1',
  ],
  [
    'a skipped chunk fails its turn at the end, where no other is spoken',
    [...spoken(), { ...ERROR, context: null, code: 4006, chunk: 0 }, ended()],
    '1, 1, 1, 1 1 failed',
  ],
  [
    'a warning ends the open turn, and later text is another',
    [
      say(),
      started(),
      { type: 'warning', context: ONLY_CONTEXT, message: 'idle', endsTurn: true },
      say(),
      ended(),
      started(),
    ],
    '1, 1, 1, 2, 1 1 ended, 2',
  ],
  [
    'a closed context loses a turn that did not speak, and ends one that did',
    [
      ...spoken('a', 'a'),
      ...spoken('b', 'b'),
      started('b'),
      { type: 'contextClosed', context: 'a', usage: null, timedOut: false },
      { type: 'contextClosed', context: 'b', usage: null, timedOut: false },
      say('a', 'a'),
    ],
    '1, 1, 2, 2, 2, 1 1 lost, 2 2 ended, 3',
  ],
  ['a disconnect ends the text of all turns', [say(), { kind: 'disconnect' }, say()], '1, 1, 2'],
  [
    'a disconnect of several turns is of none of them',
    [say('Hi', 'a'), say('Hi', 'b'), { kind: 'disconnect' }, say('Hi', 'a')],
    '1, 2, -, 3',
  ],
])('%s', (_, steps, turns) => {
  expect(follow(steps)).toBe(turns);
});

it('where no cancel is confirmed, the end of a cancelled turn makes way for the next', () => {
  const steps = [...spoken(), started(), cancel(), ...spoken(), ended(), started()];
  expect(follow(steps, false)).toBe('1, 1, 1, 1, 2, 2, 1, 2');
});

it('where no cancel is confirmed, each of several cancelled turns keeps its place until its own end', () => {
  const two = [...spoken(), ...spoken(), started()];
  const steps = [...two, cancel(), ...spoken(), completed(), ended(), ended(), started(), ended()];
  expect(follow(steps, false)).toBe('1, 1, 2, 2, 1, -, 3, 3, 1 late, 1, 2, 3, 3 3 ended');
});

it('where a flush only forces synthesis, text behind it is of the same turn', () => {
  const endTurn: Step = { kind: 'endTurn', context: ONLY_CONTEXT };
  const steps = [...spoken(), started(), say(), endTurn, say(), ended(), started()];
  expect(follow(steps, true, false)).toBe('1, 1, 1, 1, 1, 2, 1 1 ended, 2');
});
