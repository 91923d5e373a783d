import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import {
  bytesIn,
  CLOSE,
  createWorld,
  FLUSH,
  INTERRUPT,
  interruptAt,
  speak,
  type World,
} from './session-world.test-helper.ts';

const NO_CONTROLS = { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 };
const figures = (chars: number, audioMs = chars * 10, billable = chars) => ({
  speech_id: expect.stringMatching(/^dg_sp_[\da-f]{12}$/),
  audio_duration_ms: audioMs,
  input_character_count: chars,
  billable_character_count: billable,
  controls_applied: NO_CONTROLS,
});
const warnings = (world: World) => world.of('Warning').map(({ code }) => code);
const configure = (speed?: number) => ({ type: 'Configure', ...(speed !== undefined && { speed }) });

/** The engine has spoken one sentence, and holds back the rest of the turn. */
async function halfSpoken(): Promise<World> {
  const world = createWorld('flux');
  await world.send(speak('Hello there, you. '));
  world.engine.hold();
  await world.send(speak('And more'), FLUSH);
  return world;
}

describe('turns', () => {
  it('deepgram-message-28 Connected comes first', async () => {
    const world = createWorld('flux');
    expect(world.sent).toEqual([
      {
        type: 'Connected',
        request_id: 'a1b2c3d4-0000-4000-8000-000000000000',
        model_name: 'flux-alexis-en',
        model_version: '2026.06.01',
        model_uuids: [expect.stringMatching(/^[\da-f-]{36}$/)],
      },
    ]);
  });

  it('deepgram-text-2 an inline control may be split over messages, and has to end with its turn', async () => {
    const world = createWorld('flux');
    await world.send(speak('Wait \\{pause'), speak(':500ms\\} now.'), FLUSH);
    expect(world.engine.requests.map(({ text }) => text).join('')).toBe('Wait  now.');
    await world.send(speak('And \\{pause'), FLUSH);
    expect(world.of('Error')).toMatchObject([{ code: 'DATA-0002' }]);
  });

  it('deepgram-turn-9 the first Speak opens a turn, and SpeechMetadata ends it', async () => {
    const world = createWorld('flux');
    await world.send(speak('Hello'));
    expect(world.kinds()).toEqual(['Connected', 'SpeechStarted']);
    await world.send(FLUSH);
    expect(world.kinds()).toEqual([
      'Connected',
      'SpeechStarted',
      'bytes',
      'Flushed',
      'bytes',
      'SpeechMetadata',
    ]);
    expect(world.of('SpeechMetadata')).toEqual([{ type: 'SpeechMetadata', ...figures(5) }]);
    const ids = world.sent.flatMap((each) => ('speech_id' in each ? [each.speech_id] : []));
    expect(new Set(ids).size).toBe(1);
  });

  it('deepgram-turn-16 Flushed comes just before the last audio, or at the flush where all audio is out', async () => {
    const world = createWorld('flux');
    await world.send(speak('Hello there. '));
    await world.send(FLUSH);
    expect(world.kinds()).toEqual(['Connected', 'SpeechStarted', 'bytes', 'Flushed', 'SpeechMetadata']);
    world.forget();
    await world.send(speak('Hello there'), FLUSH);
    const [last, flushed] = [world.sent.at(-2), world.sent.at(-3)];
    expect(last).toBeInstanceOf(Uint8Array);
    expect(flushed).toMatchObject({ type: 'Flushed' });
  });

  it('deepgram-turn-10 text behind a flush waits for the end of the turn, in turns of its own', async () => {
    const world = createWorld('flux');
    await world.send(
      speak('One two'),
      FLUSH,
      speak('Three four'),
      FLUSH,
      speak('Five'),
      speak(' six'),
      FLUSH,
    );
    const turn = ['SpeechStarted', 'bytes', 'Flushed', 'bytes', 'SpeechMetadata'];
    expect(world.kinds()).toEqual(['Connected', ...turn, ...turn, ...turn]);
    expect(world.of('SpeechMetadata').map((each) => each.input_character_count)).toEqual([7, 10, 8]);
    expect(new Set(world.of('SpeechStarted').map(({ speech_id }) => speech_id)).size).toBe(3);
  });

  it('thousands of empty turns end one after another, while the client waits', async () => {
    const world = createWorld('flux');
    world.engine.hold();
    await world.send(speak('Hello'), FLUSH);
    await world.send(...Array.from({ length: 5000 }, () => [speak(''), FLUSH]).flat());
    expect(world.isReading()).toBe(false);
    world.engine.release();
    for (let round = 0; round < 10; round += 1) await settle();
    expect(world.of('SpeechMetadata')).toHaveLength(5001);
    expect(world.isReading()).toBe(true);
  });
});

describe('warnings', () => {
  it('deepgram-error-2 a flush or an interrupt without a turn', async () => {
    const world = createWorld('flux');
    await world.send(FLUSH, INTERRUPT);
    expect(world.of('Warning')).toEqual(
      Array.from({ length: 2 }, () => ({
        type: 'Warning',
        code: 'NO_ACTIVE_SPEECH',
        description: 'There is no active turn. The request will be ignored.',
      })),
    );
  });

  it.each(['', '  '])('deepgram-error-6 a turn of %j has no audio', async (text) => {
    const world = createWorld('flux');
    await world.send(speak(text), FLUSH);
    expect(world.kinds()).toEqual(['Connected', 'SpeechStarted', 'Flushed', 'Warning', 'SpeechMetadata']);
    expect(warnings(world)).toEqual(['NO_SYNTHESIZABLE_TEXT']);
    expect(world.of('SpeechMetadata')).toEqual([{ type: 'SpeechMetadata', ...figures(text.length, 0) }]);
  });

  it('deepgram-text-4 markup is cut out with one warning a Speak, and not charged', async () => {
    const world = createWorld('flux');
    await world.send(
      speak('<break/>Hi <emphasis>you</emphasis>'),
      speak(' [laughs]'),
      speak(' there'),
      FLUSH,
    );
    expect(warnings(world)).toEqual(['INPUT_MARKUP_STRIPPED', 'INPUT_MARKUP_STRIPPED']);
    expect(world.spoken()).toEqual(['Hi you  there']);
    expect(world.of('SpeechMetadata')).toEqual([{ type: 'SpeechMetadata', ...figures(50, 130, 13) }]);
  });
});

describe('Interrupt', () => {
  it('deepgram-cancel-6 without an offset, ends the turn in place of its metadata, and says nothing of the text', async () => {
    const world = await halfSpoken();
    await world.send(INTERRUPT);
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['Connected', 'SpeechStarted', 'bytes', 'SpeechInterrupted']);
    expect(world.of('SpeechInterrupted')).toEqual([
      { type: 'SpeechInterrupted', audio_played_ms: 170, metadata: figures(26, 170) },
    ]);
  });

  it.each([
    [0, '', 'Hello there, you. And more'],
    [49, '', 'Hello there, you. And more'],
    [50, 'Hello ', 'there, you. And more'],
    [120, 'Hello there, ', 'you. And more'],
    [9999, 'Hello there, you. ', 'And more'],
  ])(
    'deepgram-cancel-12 at %i ms, tells the text by the times of its words',
    async (offset, spoken, remaining) => {
      const world = await halfSpoken();
      await world.send(interruptAt(offset));
      const playedMs = Math.min(offset, 170);
      expect(world.of('SpeechInterrupted')).toEqual([
        {
          type: 'SpeechInterrupted',
          audio_played_ms: playedMs,
          text_spoken: spoken,
          text_remaining: remaining,
          metadata: figures(26, playedMs),
        },
      ]);
    },
  );

  it('deepgram-cancel-12 ends within a text without spaces', async () => {
    const world = createWorld('flux');
    await world.send(speak('今日は、いい天気です。 '));
    world.engine.hold();
    await world.send(speak('次'), FLUSH, interruptAt(60));
    expect(world.of('SpeechInterrupted')).toMatchObject([
      { text_spoken: '今日は、いい', text_remaining: '天気です。 次' },
    ]);
  });

  it('deepgram-cancel-5 offsets count from the beginning of the session, and rise', async () => {
    const world = createWorld('flux');
    await world.send(speak('Twenty characters ..'), FLUSH, speak('Hello there, you. '));
    await world.send(interruptAt(250));
    expect(world.of('SpeechInterrupted')).toMatchObject([
      { audio_played_ms: 250, text_spoken: 'Hello ', metadata: { audio_duration_ms: 50 } },
    ]);
    await world.send(speak('Again this. '));
    await world.send(interruptAt(250));
    expect(warnings(world)).toEqual(['INVALID_INTERRUPT_OFFSET']);
    await world.send(interruptAt(251));
    expect(world.of('SpeechInterrupted')).toHaveLength(2);
    await world.send(CLOSE);
    // 200 ms of the first turn, and 51 ms that were played of the others.
    expect(world.of('SessionMetadata')).toMatchObject([{ total_audio_duration_ms: 251 }]);
  });

  it('deepgram-end-6 an offset inside an ended turn takes the rest of that turn from the total', async () => {
    const world = createWorld('flux');
    await world.send(speak('Twenty characters ..'), FLUSH, speak('Hello there, you. '));
    await world.send(interruptAt(150));
    expect(world.of('SpeechMetadata')).toMatchObject([{ audio_duration_ms: 200 }]);
    expect(world.of('SpeechInterrupted')).toMatchObject([
      { audio_played_ms: 150, text_spoken: '', metadata: { audio_duration_ms: 0 } },
    ]);
    await world.send(CLOSE);
    expect(world.of('SessionMetadata')).toMatchObject([{ total_audio_duration_ms: 150 }]);
  });

  it('deepgram-error-3 before any audio of the session, is ignored, and the turn goes on', async () => {
    const world = createWorld('flux');
    world.engine.hold();
    await world.send(speak('Hello there. '), INTERRUPT);
    expect(warnings(world)).toEqual(['NO_AUDIO_GENERATED']);
    world.engine.release();
    await world.send(FLUSH);
    expect(world.of('SpeechMetadata')).toHaveLength(1);
  });

  it('deepgram-cancel-10 leaves the turns that wait, and the next one starts', async () => {
    const world = await halfSpoken();
    await world.send(speak('The next'), FLUSH, INTERRUPT);
    world.engine.release();
    await settle();
    expect(world.kinds().slice(3)).toEqual([
      ...['SpeechInterrupted', 'SpeechStarted', 'bytes', 'Flushed', 'bytes', 'SpeechMetadata'],
    ]);
    expect(world.of('SpeechMetadata')).toMatchObject([{ input_character_count: 8 }]);
  });
});

describe('Configure', () => {
  it('deepgram-message-39 changes the pace of what is spoken from then on', async () => {
    const world = createWorld('flux');
    await world.send(configure(), speak('One. '), configure(1.05), speak('Two. '), configure());
    expect(world.of('ConfigureSuccess').map(({ applied }) => applied)).toEqual([
      {},
      { speed: 1.05 },
      { speed: 1.05 },
    ]);
    expect(world.engine.requests.map(({ speed }) => speed)).toEqual([1, 1.05]);
  });

  it.each([
    [1.55, 'SPEED_OUT_OF_RANGE', "'speed' must be between 0.5 and 1.5"],
    [0.45, 'SPEED_OUT_OF_RANGE', "'speed' must be between 0.5 and 1.5"],
    [1.02, 'SPEED_INCREMENT_INVALID', "'speed' must be provided in increments of 0.05"],
  ])('deepgram-message-39 refuses %d, and the pace stays', async (speed, code, description) => {
    const world = createWorld('flux', { query: 'model=flux-alexis-en&speed=0.8' });
    await world.send(configure(speed), speak('One. '));
    expect(world.of('ConfigureFailure')).toEqual([
      { type: 'ConfigureFailure', field: 'speed', value: speed, code, description },
    ]);
    expect(world.engine.requests.map((each) => each.speed)).toEqual([0.8]);
  });
});

describe('the end', () => {
  it('deepgram-end-4 Close speaks all that waits, then come the totals and the close', async () => {
    const world = createWorld('flux');
    await world.send(speak('One two'), FLUSH, speak('And three'), CLOSE, speak('Too late'));
    const one = ['SpeechStarted', 'bytes', 'Flushed', 'bytes', 'SpeechMetadata'];
    const two = ['SpeechStarted', 'bytes', 'SpeechMetadata'];
    expect(world.kinds()).toEqual(['Connected', ...one, ...two, 'SessionMetadata', '1000']);
    expect(world.of('SessionMetadata')).toEqual([
      {
        type: 'SessionMetadata',
        total_audio_duration_ms: 160,
        total_input_character_count: 16,
        total_billable_character_count: 16,
      },
    ]);
    expect(world.clock.timers).toBe(0);
  });

  it('deepgram-limit-5 closes after 60 s without a message; a ping counts as one', async () => {
    const world = createWorld('flux');
    await world.clock.advance(59_000);
    await world.send(configure());
    await world.clock.advance(59_000);
    world.ping();
    await world.clock.advance(59_999);
    expect(world.closes).toEqual([]);
    await world.clock.advance(1);
    expect(world.of('Error')).toMatchObject([{ code: 'NET-0004' }]);
    expect(world.closes).toEqual([[1011, expect.stringMatching(/^NET-0004/)]]);
  });

  it('deepgram-limit-4 closes after an hour, with an Error before', async () => {
    const world = createWorld('flux');
    for (let half = 0; half < 120; half += 1) {
      expect(world.closes).toEqual([]);
      await world.send(configure());
      await world.clock.advance(30_000);
    }
    expect(world.of('Error')).toMatchObject([{ code: 'NET-0003' }]);
    expect(world.closes).toEqual([[1011, expect.stringMatching(/^NET-0003/)]]);
  });

  it.each([
    ['no JSON', 'hello', 'MESSAGE-0000', 1003],
    ['an unknown type', nonsense({ type: 'Clear' }), 'DATA-0000', 1008],
    ['an unknown field of Interrupt', nonsense({ ...INTERRUPT, at: 5 }), 'DATA-0000', 1008],
    ['a malformed control', speak('\\{pause:now\\}'), 'DATA-0002', 1008],
    ['a text of more than 10,000 characters', speak('x'.repeat(10_001)), 'BIG-0001', 1009],
  ])('deepgram-close-15 %s is an Error, then the close', async (_, message, code, close) => {
    const world = createWorld('flux');
    await world.send(message);
    expect(world.of('Error')).toEqual([{ type: 'Error', code, description: expect.any(String) }]);
    expect(world.closes).toEqual([[close, expect.stringMatching(new RegExp(`^${code}`))]]);
  });

  it('a turn has at most 100,000 characters, ours', async () => {
    const world = createWorld('flux');
    world.engine.hold();
    const text = 'word. '.repeat(1666);
    await world.send(...Array.from({ length: 10 }, () => speak(text)), FLUSH);
    await world.send(...Array.from({ length: 10 }, () => speak(text)));
    expect(world.closes).toEqual([]);
    await world.send(speak(text));
    expect(world.of('Error')).toMatchObject([{ description: 'One turn has more than 100,000 characters.' }]);
  });

  it('a long turn is cut as it is spoken, and ends once', async () => {
    const world = createWorld('flux');
    world.engine.hold();
    const text = 'A word. '.repeat(1000);
    await world.send(speak(text), FLUSH, speak('Next.'), FLUSH);
    world.engine.release();
    while (world.of('SpeechMetadata').length < 2) await settle();
    expect(world.spoken().join('')).toBe(`${text.trimEnd()}Next.`);
    expect(world.of('Flushed')).toHaveLength(2);
  });

  it('a server that shuts down speaks what is flushed, then closes', async () => {
    const world = createWorld('flux');
    world.engine.hold();
    await world.send(speak('Hello'), FLUSH);
    world.session.goingAway();
    world.engine.release();
    await settle();
    expect(world.kinds().slice(-2)).toEqual(['SpeechMetadata', '1001']);
    expect(bytesIn(world.sent)).toBe(5 * 480);
  });
});
