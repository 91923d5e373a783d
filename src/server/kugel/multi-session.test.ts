import { describe, expect, it } from 'vitest';
import { nonsense } from '../session-world.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { CHUNK, PlayedSession, type Step } from './session-world.test-helper.ts';

/** The rules of `/ws/tts/multi` alone; `sessions.test.ts` has those that all endpoints share. */

const play = (...steps: Step[]) => new PlayedSession('kugel-multi').play(...steps);

const VOICE = { voice_settings: { voice_id: 1071 } };
const create = (id: string, more: Frame = {}): Frame => ({ text: ' ', context_id: id, ...VOICE, ...more });
const say = (id: string, text: string, more: Frame = {}): Frame => ({ text, context_id: id, ...more });
/** Text with its flush. */
const turn = (id: string, text: string, more: Frame = {}): Frame => say(id, text, { flush: true, ...more });
const flush = (id: string, more: Frame = {}): Frame => ({ flush: true, context_id: id, ...more });
const close = (id: string): Frame => ({ close_context: true, context_id: id });
const closeNow = (id: string): Frame => ({ ...close(id), immediate: true });
const cancel = (id: string): Frame => ({ cancel: true, context_id: id });
const CANCEL_ALL = { cancel: true };
const CLOSE_SOCKET = { close_socket: true };

/** Two contexts that speak. */
const TWO_SPEAK: Step[] = ['hold', turn('a', 'One. And two', VOICE), turn('b', 'Hello', VOICE), 0];
/** A context that closes while it speaks. */
const CLOSING: Step[] = ['hold', say('a', 'Hello', VOICE), close('a'), 0];
const GOES_ON: Step[] = ['|', 'release', 0];

const CREATED = 'context_created';
const STARTED = `${CREATED} generation_started`;
const SPEAKS_ON = 'audio chunk_complete final';
const CLOSED = 'context_closed';

/** Expected kinds of the frames of each context; of all frames under `all`. */
type Kinds = Record<string, string>;

function itSends(rows: [string, Step[], Kinds][]): void {
  it.each(rows)('%s', async (_, steps, expected) => {
    const session = await play(...steps);
    const ids = Object.keys(expected);
    expect(Object.fromEntries(ids.map((id) => [id, session.kinds(id === 'all' ? undefined : id)]))).toEqual(
      expected,
    );
  });
}

describe('creation', () => {
  itSends([
    [
      'kugel-context-3, kugel-context-2 a blank text creates the context, and speaks nothing',
      [create('a'), 5000],
      { all: CREATED },
    ],
    ['kugel-context-4 so does an empty text', [create('a', { text: '' })], { all: CREATED }],
    ['kugel-context-4 so do voice_settings alone', [{ context_id: 'a', ...VOICE }], { all: CREATED }],
    [
      'kugel-context-3 the first text creates it too, and may bring its flush',
      [turn('a', 'Hello', VOICE)],
      { all: `${CREATED} ${CHUNK} final` },
    ],
    [
      'kugel-context-18 so does a flush with voice settings',
      [flush('a', VOICE)],
      { all: `${CREATED} final` },
    ],
    ['kugel-context-18 a flush of an unknown context is refused', [flush('a')], { a: 'error' }],
    [
      'kugel-context-5 text that would create a context without a voice creates none',
      [say('a', 'Hello'), '|', create('a')],
      { a: `error | ${CREATED}` },
    ],
    [
      'kugel-context-5 a voice at the top level gives no context its voice; its flush is answered all the same',
      [{ voice_id: 1071 }, say('a', ' ', { voice_id: 1071 }), turn('a', 'Hello'), '|', flush('a')],
      { a: `${CREATED} error | final` },
    ],
    [
      'kugel-context-27 the first frame of the LiveKit plugin creates nothing and is no error',
      [{ text: '', voice_id: 1071, model_id: 'kugel-3' }],
      { all: '' },
    ],
  ]);

  it('kugel-context-5 the voice is bound at creation; another one later is not taken', async () => {
    const other = { voice_settings: { voice_id: 1072 }, voice_id: 1072 };
    const { requests } = await play(create('a'), turn('a', 'Hello', other));
    expect(requests).toMatchObject([{ voice: LOCAL_CATALOGUE.find(1071) }]);
  });

  const UNKNOWN = { voice_settings: { voice_id: 9 } };
  it.each<[string, Step[]]>([
    ['times out', [create('a'), say('a', 'Hello', UNKNOWN), 60_000]],
    ['is closed', [create('a'), say('a', 'Hello', UNKNOWN), closeNow('a')]],
    ['is closed without a voice', [say('a', 'Hello', UNKNOWN), close('a')]],
  ])('kugel-context-14 an unknown voice is forgotten with its context, which %s', async (_, steps) => {
    const session = await play({ inactivity_timeout: 20 }, ...steps, say('a', 'Again'));
    const [NOT_FOUND, MISSING] = ['NOT_FOUND', 'MISSING_VOICE_ID'].map((error_code) => ({ error_code }));
    expect(session.of('error')).toMatchObject([NOT_FOUND, MISSING]);
  });

  it.each<[string, Frame, RegExp]>([
    ['text without a context', { text: 'Hello' }, /^Invalid request: /],
    ['kugel-voice-2 an unknown voice at the top level', { voice_id: 9 }, /^Voice not found: 9$/],
    ['an id that is too long', nonsense(say('x'.repeat(1000), 'Hi')), /^Invalid request: context_id/],
  ])('kugel-context-26 %s is refused without naming a context', async (_, message, why) => {
    const { world } = await play(message);
    expect(world.frames).toEqual([
      {
        error: expect.stringMatching(why),
        error_code: expect.any(String),
        code: expect.any(Number),
        request_id: 'r-1',
      },
    ]);
  });

  it('kugel-message-6 names the wrong field of voice_settings', async () => {
    const session = await play(
      nonsense(create('a', { voice_settings: { voice_id: 1071, max_new_tokens: 0 } })),
    );
    const error = expect.stringMatching(/max_new_tokens: expected/);
    expect(session.world.frames).toMatchObject([{ error, error_code: 'VALIDATION_ERROR', context_id: 'a' }]);
  });

  it('ids may hold any characters', async () => {
    const id = 'a"b\\c\u2028 {}🙂';
    expect((await play(create(id), turn(id, 'Hello'))).kinds(id)).toBe(`${CREATED} ${CHUNK} final`);
  });
});

describe('speaking', () => {
  itSends([
    [
      'kugel-context-11 flush: the frames of the text before it, then final; the context stays open',
      [create('a'), say('a', 'One'), flush('a'), 0, '|', turn('a', 'Two')],
      { all: `${CREATED} ${CHUNK} final | ${CHUNK} final` },
    ],
    [
      'kugel-context-11 a flush with nothing buffered is answered too, and each flush has its final',
      ['hold', turn('a', 'One', VOICE), flush('a'), turn('a', 'Two'), 0, ...GOES_ON],
      { a: `${STARTED} | ${SPEAKS_ON} final ${CHUNK} final` },
    ],
    [
      'kugel-chunk-3 text without a flush is spoken after 500 ms, without a final',
      [create('a'), say('a', 'No mark here'), 499, '|', 1, '|', 10_000],
      { all: `${CREATED} | ${CHUNK} |` },
    ],
    [
      'kugel-message-64 words have their frame, and every frame names its context',
      [create('a', { word_timestamps: true }), turn('a', 'Good morning')],
      { a: `${STARTED} audio word_timestamps chunk_complete final` },
    ],
    [
      'kugel-error-3 a failure ends its turn without final; the turns behind it are spoken',
      [
        'fail',
        turn('a', 'One', VOICE),
        turn('a', 'Two'),
        say('a', 'Three'),
        close('a'),
        turn('b', 'Hi', VOICE),
      ],
      {
        a: `${STARTED} error ${CHUNK} final ${CHUNK} final ${CLOSED}`,
        b: `${CREATED} ${CHUNK} final`,
      },
    ],
  ]);

  it('kugel-context-10 an id is used over several turns, whose chunks and audio frames are numbered from 0', async () => {
    const session = await play(turn('a', 'First turn. It has two sentences.', VOICE), turn('a', 'Second'));
    expect(session.of('generation_started').map((frame) => frame.chunk_id)).toEqual([0, 1, 0]);
    expect(session.of('audio').filter((frame) => frame.idx === 0)).toHaveLength(2);
  });

  it('kugel-context-16 twenty speak at once: each is heard before the first of them is done', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `c${at}`);
    const text = 'A line that takes a good many frames to be said. '.repeat(8);
    const session = await play(...ids.map((id) => turn(id, text, VOICE)));
    const { frames } = session.world;
    const firstAudio = ids.map((id) =>
      frames.findIndex((frame) => 'audio' in frame && frame.context_id === id),
    );
    expect(Math.max(...firstAudio)).toBeLessThan(frames.findIndex((frame) => 'final' in frame));
    expect(new Set(session.requests.map(({ context }) => context)).size).toBe(20);
  });

  it('the turns that wait are counted over all contexts, a flush alone too', async () => {
    const turns = Array.from({ length: 256 }, (_, at) => turn(at % 2 ? 'a' : 'b', 'a', VOICE));
    const session = await play('hold', ...turns, flush('b'), say('a', ''));
    expect(session.of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', context_id: 'b' }]);
  });

  it('so is the text that waits', async () => {
    const long = Array.from({ length: 10 }, (_, at) => turn(at % 2 ? 'a' : 'b', 'x'.repeat(10_000)));
    const session = await play(...TWO_SPEAK, ...long, say('a', 'x'));
    expect(session.of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', context_id: 'a' }]);
  });
});

describe('settings', () => {
  it('kugel-context-6 session-level settings may stand anywhere, and hold for all contexts', async () => {
    const { requests } = await play(
      { voice_settings: { language: 'de' } },
      create('a'),
      turn('b', 'Hallo', { voice_settings: { voice_id: 1072, sample_rate: 16_000 } }),
      turn('a', 'Guten Tag'),
    );
    const settings = { language: 'de', sampleRate: 16_000 };
    expect(requests).toMatchObject([settings, settings]);
  });

  it('kugel-turn-4 they take effect with the next turn of each context', async () => {
    const changed = [say('a', 'One'), { language: 'fr' }, flush('a'), turn('a', 'Two')];
    const { requests } = await play(create('a', { language: 'en' }), ...changed);
    expect(requests).toMatchObject([{ language: 'en' }, { language: 'fr' }]);
  });

  it('kugel-context-8 speed and temperature are session-wide, the last writer wins, for contexts started later', async () => {
    const [first, last] = [
      { speed: 1.2, temperature: 0.9 },
      { speed: 0.8, temperature: 0.1 },
    ];
    const contexts = [create('a', first), create('b', last), create('c')];
    const { requests } = await play(...contexts, ...['a', 'b', 'c'].map((id) => turn(id, 'Hello')));
    expect(requests.map(({ speed, variation }) => ({ speed, temperature: variation }))).toEqual([
      first,
      last,
      last,
    ]);
  });

  it('kugel-context-7 speed and temperature inside voice_settings are dropped silently', async () => {
    const voice_settings = { voice_id: 1071, speed: 1.2, temperature: 7 };
    const session = await play(nonsense(turn('a', 'Hello', { voice_settings })));
    expect(session.requests).toMatchObject([{ speed: 1, variation: 0.4 }]);
    expect(session.of('error')).toEqual([]);
  });

  it('kugel-audio-7 output_format is set once; another value is refused and changes nothing', async () => {
    const session = await play(
      create('a', { voice_settings: { voice_id: 1071, output_format: 'ulaw_8000' } }),
      turn('a', 'Hello', { output_format: 'pcm_24000' }),
      turn('a', 'There', { output_format: 'ulaw_8000' }),
    );
    const error = expect.stringMatching(/output_format: expected ulaw_8000, which was set once .*pcm_24000$/);
    expect(session.of('error')).toMatchObject([{ error, error_code: 'VALIDATION_ERROR', context_id: 'a' }]);
    expect(session.requests).toMatchObject([{ text: 'There' }]);
    expect(session.of('audio')[0]).toMatchObject({ enc: 'mulaw', sr: 8000 });
  });

  it('kugel-audio-6 a rate that disagrees with an earlier format is refused, the default rate is not', async () => {
    const session = await play({ output_format: 'ulaw_8000' }, { sample_rate: 24_000 }, '|', {
      sample_rate: 16_000,
    });
    expect(session.kinds()).toBe('| error');
  });
});

describe('kugel-context-19 inactivity', () => {
  itSends([
    [
      'kugel-context-19 closes a context after 20 s with its final, and a keep-alive begins the time anew',
      [create('a'), create('b'), 10_000, say('b', ''), 9999, '|', 1, '|', 9999, '|', 1],
      { a: `${CREATED} | final ${CLOSED} | |`, b: `${CREATED} | | | final ${CLOSED}` },
    ],
    [
      'kugel-context-19 a cancel of all begins the time anew',
      [create('a'), 10_000, CANCEL_ALL, 19_999, '|', 1],
      { a: `${CREATED} | final ${CLOSED}` },
    ],
    [
      'kugel-context-20 generation counts as activity',
      ['hold', turn('a', 'Hello', VOICE), 60_000, '|', 'release', 19_999, '|', 1],
      { a: `${STARTED} | ${SPEAKS_ON} | final ${CLOSED}` },
    ],
    [
      'kugel-context-12 one final, also for text that was never flushed',
      [say('a', 'Never flushed', VOICE), 20_500],
      { a: `${CREATED} ${CHUNK} final ${CLOSED}` },
    ],
    [
      'kugel-text-5 what an open tag holds back is spoken before the end',
      [say('a', 'Code <spell>AB', VOICE), 19_999, '|', 1],
      { a: `${CREATED} | ${CHUNK} final ${CLOSED}` },
    ],
    [
      'kugel-context-21 after the last one session_closed follows, and the socket stays',
      [create('a'), create('b'), turn('a', 'Hello'), 20_000, '|', create('a')],
      {
        all: `${CREATED} ${CREATED} ${CHUNK} final final ${CLOSED} final ${CLOSED} session_closed | ${CREATED}`,
      },
    ],
    [
      'kugel-context-20 a spoken chunk begins the time anew',
      ['hold', say('a', 'Good morning. ', VOICE), 15_000, 'release', 19_999, '|', 1],
      { a: `${CREATED} ${CHUNK} | final ${CLOSED}` },
    ],
    [
      'kugel-context-22 inactivity_timeout in seconds, for live contexts and new ones',
      [create('a'), { inactivity_timeout: 2 }, say('a', ''), create('b'), 1999, '|', 1],
      { a: `${CREATED} | final ${CLOSED}`, b: `${CREATED} | final ${CLOSED}` },
    ],
    [
      'kugel-context-22 1 to 180 s are taken, less and more are refused',
      [
        ...[0, 0.9, 181].map((seconds) => nonsense({ inactivity_timeout: seconds })),
        '|',
        { inactivity_timeout: 180 },
      ],
      { all: 'error error error |' },
    ],
  ]);
});

describe('closing', () => {
  itSends([
    [
      'kugel-context-12 queued sentences finish, then final, then context_closed',
      [say('a', 'Good morning. And then the rest', VOICE), close('a')],
      { all: `${CREATED} ${CHUNK} ${CHUNK} final ${CLOSED}` },
    ],
    [
      'kugel-context-12 final of the flush, and again right before context_closed',
      [turn('a', 'Hello', VOICE), close('a')],
      { all: `${CREATED} ${CHUNK} final final ${CLOSED}` },
    ],
    [
      'kugel-context-13 immediate: nothing more is spoken, no final; another context goes on',
      [...TWO_SPEAK, closeNow('a'), ...GOES_ON, 5000],
      { a: `${STARTED} ${CLOSED} |`, b: `${STARTED} | ${SPEAKS_ON}` },
    ],
    [
      'kugel-context-12 takes the time that the speech takes, and ends no session',
      [...CLOSING, 60_000, ...GOES_ON],
      { all: `${STARTED} | ${SPEAKS_ON} ${CLOSED}` },
    ],
    [
      'kugel-context-14 nothing of a context follows its context_closed, and its id opens another',
      [say('a', 'Hello', VOICE), closeNow('a'), '|', turn('a', 'Again', VOICE)],
      { a: `${CREATED} ${CLOSED} | ${CREATED} ${CHUNK} final` },
    ],
    [
      'kugel-context-18 that of an unknown context is answered',
      [close('x'), closeNow('x')],
      { x: `${CLOSED} ${CLOSED}` },
    ],
    [
      'kugel-context-17 text for a context that is closing is refused, and does not disturb it',
      [...CLOSING, turn('a', 'More'), say('a', ''), close('a'), ...GOES_ON],
      { a: `${STARTED} error | ${SPEAKS_ON} ${CLOSED}` },
    ],
  ]);

  it('kugel-context-15 a context that never spoke carries no usage', async () => {
    const { world } = await play(create('a'), flush('a'), close('a'));
    expect(world.frames.slice(1)).toEqual([
      { final: true, context_id: 'a' },
      { final: true, context_id: 'a' },
      { context_closed: true, context_id: 'a' },
    ]);
  });

  it('kugel-context-12 usage covers the whole life: every turn, and what was sent of a cancelled one', async () => {
    const session = await play(turn('a', 'Hello', VOICE), turn('a', 'there'), 0);
    await session.play(say('a', 'x'.repeat(45)), 500, cancel('a'), close('a'));
    const samples = session.of('audio').reduce((sum, frame) => sum + Number(frame.samples), 0);
    expect(session.usage('a')).toMatchObject({ audio_seconds: samples / 24_000, characters: 55 });
  });

  it('kugel-error-3 usage leaves out a turn that failed', async () => {
    const session = await play('fail', turn('a', 'Hello', VOICE), turn('a', 'There'), 0, close('a'));
    expect(session.usage('a')).toMatchObject({ audio_seconds: 0.05, characters: 5 });
  });
});

it('kugel-context-1 the 21st live context is refused alone, one that is closing counts, after its end there is room', async () => {
  const twenty = Array.from({ length: 20 }, (_, at) => create(`c${at}`));
  const closing: Step[] = [say('c7', 'Hello'), close('c7'), create('x'), 0, ...GOES_ON];
  const session = await play(...twenty, turn('c0', 'Hello'), create('x'), 0, 'hold', ...closing, create('x'));
  expect(session.kinds('c0')).toBe(`${CREATED} ${CHUNK} final |`);
  expect(session.kinds('x')).toBe(`error error | ${CREATED}`);
  await session.play(say('x', 'Hi', VOICE), say('y', 'Hi'));
  const refusal = { error_code: 'TOO_MANY_CONTEXTS', code: 429, request_id: 'r-1' };
  expect(session.of('error')).toMatchObject(['x', 'x', 'y'].map((id) => ({ ...refusal, context_id: id })));
});

describe('kugel-cancel-7 cancel', () => {
  itSends([
    [
      'of one: its text and speech are dropped, interrupted names it, and it stays open and empty',
      [...TWO_SPEAK, cancel('a'), ...GOES_ON, turn('a', 'Fresh')],
      { a: `${STARTED} interrupted | ${CHUNK} final`, b: `${STARTED} | ${SPEAKS_ON}` },
    ],
    [
      'of all: every context that takes text; one that is closing ends in its own time',
      [...TWO_SPEAK, turn('c', 'Hello', VOICE), close('c'), 0, CANCEL_ALL, ...GOES_ON],
      { a: `${STARTED} |`, b: `${STARTED} |`, c: `${STARTED} | ${SPEAKS_ON} final ${CLOSED}` },
    ],
    [
      'of one that is closing: interrupted, then context_closed without final',
      [...CLOSING, cancel('a')],
      { a: `${STARTED} interrupted ${CLOSED}` },
    ],
    ['of an unknown context is answered with its id', [cancel('x')], { x: 'interrupted' }],
  ]);
});

describe('kugel-context-23 the end of the connection', () => {
  const TWO = `${CREATED} ${CREATED} generation_started generation_started`;
  itSends([
    [
      'kugel-context-23 close_socket drains, closes every context, then session_closed, then 1000',
      [create('idle'), ...TWO_SPEAK, say('b', 'There'), CLOSE_SOCKET, 0, ...GOES_ON],
      {
        a: `${STARTED} | ${SPEAKS_ON} final ${CLOSED}`,
        b: `${STARTED} | ${SPEAKS_ON} ${CHUNK} final ${CLOSED}`,
        idle: `${CREATED} final ${CLOSED} |`,
      },
    ],
    [
      'kugel-context-23 without a context it is answered at once',
      [CLOSE_SOCKET],
      { all: 'session_closed 1000' },
    ],
    [
      'kugel-context-21 the example program waits for the session_closed of idle contexts, then sends close_socket',
      [
        create('narrator'),
        create('character', { voice_settings: { voice_id: 1072 } }),
        turn('narrator', 'The story begins.'),
        turn('character', "Hello, I'm the main character!"),
        20_000,
        '|',
        CLOSE_SOCKET,
      ],
      {
        all: `${TWO} ${SPEAKS_ON} ${SPEAKS_ON} final ${CLOSED} final ${CLOSED} session_closed | session_closed 1000`,
      },
    ],
    [
      'kugel-end-7 afterwards messages are refused, but a cancel of all and an immediate close are taken',
      [...TWO_SPEAK, CLOSE_SOCKET, turn('a', 'More'), create('c'), '|', closeNow('b'), CANCEL_ALL],
      { all: `${TWO} error error | ${CLOSED} interrupted ${CLOSED} session_closed 1000` },
    ],
    [
      'kugel-close-2 going away: idle contexts get no frame, busy ones all of theirs, and no session_closed follows',
      [create('idle'), turn('spoken', 'Hi', VOICE), 0, ...CLOSING.slice(0, 2), '|', 'going away', 'release'],
      { all: `${CREATED} ${CREATED} ${CHUNK} final ${CREATED} | ${CHUNK} final ${CLOSED} 1012` },
    ],
    [
      'kugel-close-2 going away: idle contexts alone get the close code',
      [create('idle'), '|', 'going away', 60_000],
      { all: `${CREATED} | 1012` },
    ],
  ]);

  it.each<[string, Step]>([
    ['kugel-context-23 close_socket', CLOSE_SOCKET],
    ['kugel-context-21 inactivity', 20_000],
  ])('after %s session_closed has the audio of all contexts', async (_, end) => {
    const session = await play(turn('a', 'Hello', VOICE), turn('b', 'There', VOICE), end);
    expect(session.of('session_closed')).toEqual([{ session_closed: true, total_audio_seconds: 0.1 }]);
  });
});
