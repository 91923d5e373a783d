import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint, EndpointId, Intent } from './core/endpoint.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS, endpointOf } from './registry.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const context = fc.constantFrom<string>('narrator', 'Ann', '__proto__', 'text');

/** Settings of a connection: documented ones and any other, but for names that mean something else in a frame. */
const session = fc.dictionary(
  fc.constantFrom('model_id', 'sample_rate', 'language', 'word_timestamps', 'something_new'),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()),
);
const ofContext = fc.dictionary(
  fc.constantFrom('voice_id', 'cfg_scale', 'speed', 'temperature'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);

/** Settings of messages of ElevenLabs. A blank text with none is no opening. */
const ofMessage = fc
  .record(
    {
      stability: fc.constantFrom(0, 0.5, 1),
      use_speaker_boost: fc.boolean(),
      speed: fc.constantFrom(0.7, 1.15),
      chunk_length_schedule: fc.array(fc.integer({ min: 50, max: 500 }), { minLength: 1, maxLength: 4 }),
      pronunciation_dictionary_locators: fc.constantFrom('a:1', 'a:1, b_2:v-3'),
    },
    { requiredKeys: [] },
  )
  .filter((settings) => Object.keys(settings).length > 0);

function intentsOf({ contexts, id, vendor }: Endpoint): fc.Arbitrary<Intent> {
  const name = contexts ? context : fc.constant('');
  const isElevenLabs = vendor === 'ElevenLabs';
  const isDeepgram = vendor === 'Deepgram';
  const single: fc.Arbitrary<Intent>[] = [];
  // A request is read as several intents.
  if (id !== 'kugel-tts') {
    single.push(
      // A tag is never split over two messages, so one that is open waits.
      fc.record({
        kind: fc.constant('say' as const),
        context: name,
        text: id === 'cartesia' ? text.filter((one) => !one.includes('<')) : text,
      }),
      fc.record({ kind: fc.constant('flush' as const), context: name }),
    );
  }
  if (id === 'murmr') {
    single.push(
      fc.record({ kind: fc.constant('keepAlive' as const), context: name }),
      fc.record({ kind: fc.constant('open' as const), settings: session }),
    );
  } else if (id === 'deepgram-flux') {
    single.push(fc.constant({ kind: 'keepAlive' as const, context: '' }));
    single.push(fc.constantFrom(0.8, 1.1).map((speed) => ({ kind: 'update' as const, settings: { speed } })));
  } else if (!isElevenLabs && !isDeepgram && id !== 'cartesia') {
    single.push(
      fc.record({
        kind: fc.constant('update' as const),
        settings: fc.record(
          { speed: fc.constantFrom(0.8, 1.1), language: fc.constantFrom('en', 'de') },
          { requiredKeys: [] },
        ),
      }),
    );
  }
  if (id === 'kugel-stream') {
    single.push(
      fc.record({ kind: fc.constant('open' as const), settings: session }),
      fc.record({ kind: fc.constant('endTurn' as const), context: name }),
    );
  }
  if (id === 'elevenlabs-stream') {
    single.push(
      fc.record({ kind: fc.constant('open' as const), settings: ofMessage }),
      fc.record({ kind: fc.constant('endTurn' as const), context: name }),
    );
  }
  if (id === 'kugel-stream' || id === 'kugel-multi' || id === 'elevenlabs-multi' || isDeepgram) {
    single.push(fc.record({ kind: fc.constant('disconnect' as const) }));
  }
  if (id === 'kugel-stream' || id === 'kugel-tts' || id === 'deepgram') {
    single.push(fc.record({ kind: fc.constant('cancel' as const), context: fc.constant(null) }));
  }
  if (contexts && id !== 'cartesia') {
    single.push(
      fc.record({ kind: fc.constant('keepAlive' as const), context: name }),
      fc.record({
        kind: fc.constant('openContext' as const),
        context,
        // Without any it looks like a blank text.
        settings: isElevenLabs ? ofMessage : ofContext.filter((settings) => settings.voice_id !== undefined),
      }),
    );
  }
  // On others, a cancel and a close are the end of a turn.
  if (id === 'kugel-multi') {
    single.push(
      fc.record({ kind: fc.constant('cancel' as const), context: fc.option(context, { nil: null }) }),
      fc.record({ kind: fc.constant('closeContext' as const), context: name, immediate: fc.boolean() }),
    );
  }
  return fc.oneof(...single);
}

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  it('returns the intent of an encoded frame', () => {
    fc.assert(
      fc.property(intentsOf(endpoint), (intent) => {
        const dialect = protocolOf(endpoint).open({ settings: {}, key: 'key' });
        // Nothing is said about a context that is not open.
        if (
          endpoint.contexts &&
          'context' in intent &&
          intent.kind !== 'openContext' &&
          intent.context !== null
        )
          dialect.encode({ kind: 'openContext', context: intent.context, settings: { voice: 'v' } });
        // A context is opened by its first text, which is not blank.
        if (endpoint.id === 'cartesia' && 'context' in intent)
          dialect.encode({ kind: 'say', context: String(intent.context), text: 'Hi. ' });
        const frames = dialect.encode(intent);
        const read = frames.flatMap((frame) => protocolOf(endpoint).readIntents(frame));
        if (intent.kind !== 'say') {
          expect(read[0]).toEqual(intent);
          // A flush that finds nothing to speak may ask for a sign of life behind it.
          expect(read.slice(1).every(({ kind }) => kind === 'keepAlive')).toBe(true);
        } else {
          // A wire may cut text where it sets off a generation.
          expect(read.every(({ kind }) => kind === 'say')).toBe(true);
          const said = read.map((one) =>
            one.kind === 'say' && one.context === intent.context ? one.text : '',
          );
          expect(said.join('')).toBe(intent.text);
        }
      }),
    );
  });

  it('never throws, and finds no intent in a frame that is no client message', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.uint8Array()), (payload) => {
        const frame = typeof payload === 'string' ? payload : new Uint8Array(payload);
        for (const intent of protocolOf(endpoint).readIntents(frame))
          expect(intent.kind).toBeTypeOf('string');
      }),
    );
    // Too deep for a server, and for `JSON.stringify`.
    const deep = `{"type":"config","voice_id":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    for (const frame of ['', '{', '[]', 'null', '7', deep, new Uint8Array([123, 125])]) {
      expect(protocolOf(endpoint).readIntents(frame)).toEqual([]);
    }
  });

  it('reads every frame that the composer offers', () => {
    for (const { title, frame } of protocolOf(endpoint).templates) {
      const isKnown =
        title === 'Binary audio' || protocolOf(endpoint).readIntents(JSON.stringify(frame)).length > 0;
      expect(isKnown, title).toBe(true);
    }
  });
});

describe('a frame of another client, which holds several things at once', () => {
  const voice = { voice_id: 7 };
  it.each<[string, EndpointId, object, Intent[]]>([
    [
      'has its intents in the order of the server: config, cancel, text, flush',
      'kugel-stream',
      {
        flush: true,
        text: 'Hi.',
        cancel: true,
        ...voice,
        close_socket: true,
        update_settings: { speed: 1.2 },
      },
      [
        { kind: 'open', settings: voice },
        { kind: 'update', settings: { speed: 1.2 } },
        { kind: 'cancel', context: null },
        { kind: 'say', context: '', text: 'Hi.' },
        { kind: 'flush', context: '' },
        { kind: 'disconnect' },
      ],
    ],
    [
      'ends the turn once where it flushes and closes',
      'kugel-stream',
      { text: 'Hi.', flush: true, end_session: true },
      [
        { kind: 'say', context: '', text: 'Hi.' },
        { kind: 'endTurn', context: '' },
      ],
    ],
    [
      'opens its context with settings in either place',
      'kugel-multi',
      {
        text: 'Hi.',
        context_id: 'a',
        language: 'en',
        speed: 1.1,
        voice_settings: { ...voice, sample_rate: 8000 },
        flush: true,
        close_context: true,
      },
      [
        { kind: 'open', settings: { sample_rate: 8000, language: 'en' } },
        { kind: 'say', context: 'a', text: 'Hi.', opens: { speed: 1.1, ...voice } },
        { kind: 'flush', context: 'a' },
        { kind: 'closeContext', context: 'a', immediate: false },
      ],
    ],
    [
      'opens a context without text',
      'kugel-multi',
      { text: ' ', context_id: 'a', voice_settings: voice },
      [{ kind: 'openContext', context: 'a', settings: voice }],
    ],
    [
      'is a whole turn, in which keys of other endpoints mean nothing',
      'kugel-tts',
      { text: 'Hi.', ...voice, flush: true, close_socket: true },
      [
        { kind: 'open', settings: voice },
        { kind: 'say', context: '', text: 'Hi.' },
        { kind: 'flush', context: '' },
      ],
    ],
    [
      'opens a stream with its settings, and no word',
      'elevenlabs-stream',
      { text: ' ', voice_settings: { speed: 0.9, style: null }, try_trigger_generation: true },
      [{ kind: 'open', settings: { speed: 0.9 } }],
    ],
    [
      'opens a stream with text',
      'elevenlabs-stream',
      { text: 'Hi.', 'xi-api-key': 'k', flush: true },
      [
        { kind: 'open', settings: {} },
        { kind: 'say', context: '', text: 'Hi.' },
        { kind: 'flush', context: '' },
      ],
    ],
    ['2.2.7 ends a stream without a text', 'elevenlabs-stream', { x: 1 }, [{ kind: 'endTurn', context: '' }]],
    [
      '2.2.6 flushes a stream',
      'elevenlabs-stream',
      { text: '', flush: true },
      [{ kind: 'flush', context: '' }],
    ],
    [
      '2.3 is a whole turn of its context, the one without a name included',
      'elevenlabs-multi',
      { text: 'Hi.', voice_settings: { speed: 0.9 }, flush: true },
      [
        { kind: 'say', context: '', text: 'Hi.', opens: { speed: 0.9 } },
        { kind: 'flush', context: '' },
      ],
    ],
    [
      '2.3.9 ends a turn, without its text',
      'elevenlabs-multi',
      { text: 'Hi.', contextId: 'a', close_context: true },
      [{ kind: 'endTurn', context: 'a' }],
    ],
    [
      'names a later context of a speaker of the page',
      'elevenlabs-multi',
      { text: 'Hi.', context_id: 'a~2' },
      [{ kind: 'say', context: 'a', text: 'Hi.' }],
    ],
    ['2.3.4 keeps a socket alive', 'elevenlabs-multi', { text: '' }, [{ kind: 'keepAlive', context: '' }]],
    ['has no intent where it is refused', 'kugel-tts', { text: 'Hi.', speed: 9, cancel: true }, []],
    ['has no intent without a context', 'kugel-multi', { text: 'Hi.', flush: true }, []],
  ])('%s', (_, id, frame, intents) => {
    expect(protocolOf(endpointOf(id)).readIntents(JSON.stringify(frame))).toEqual(intents);
  });
});
