import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dialect, Endpoint, EndpointId, Intent } from './core/endpoint.ts';
import type { Frame } from './core/frame.ts';
import { speakerSettings } from './core/settings.ts';
import { ONLY_CONTEXT } from './core/speech-event.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS, endpointOf } from './registry.ts';
import { exampleVoice } from './testing/example-voice.ts';
import { settingsFor } from './testing/setting-values.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const context = fc.constantFrom<string>('narrator', 'Ann', '__proto__', 'text');

/** Intents of every kind. An endpoint may have no message for some kinds. */
function intentsOf(endpoint: Endpoint): fc.Arbitrary<Intent> {
  const name = endpoint.contexts ? context : fc.constant(ONLY_CONTEXT);
  const inMessages = endpoint.settings.filter(({ place }) => place === undefined);
  const ofMessages = settingsFor(inMessages, endpoint);
  const speaker = settingsFor(speakerSettings(endpoint), endpoint);
  const of = <K extends Intent['kind']>(kind: K) => ({ kind: fc.constant(kind) });
  return fc.oneof(
    fc.record({ ...of('say'), context: name, text }),
    fc.record({ ...of('flush'), context: name }),
    fc.record({ ...of('endTurn'), context: name }),
    fc.record({ ...of('keepAlive'), context: name }),
    fc.record({ ...of('cancel'), context: fc.option(name, { nil: null }) }),
    fc.record({ ...of('disconnect') }),
    fc.record({ ...of('open'), settings: ofMessages }),
    fc.record({ ...of('update'), settings: ofMessages }),
    ...(endpoint.contexts
      ? [
          fc.record({
            ...of('openContext'),
            context,
            settings: speaker.map((settings) => ({ ...settings, ...exampleVoice(endpoint) })),
          }),
          fc.record({ ...of('closeContext'), context, immediate: fc.boolean() }),
        ]
      : []),
  );
}

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  /** A dialect whose contexts have opened. */
  const opened = (intent: Intent): Dialect => {
    const dialect = protocolOf(endpoint).open({ settings: {}, key: 'key' });
    const of = 'context' in intent ? intent.context : null;
    // Nothing is said about a context that is not open, and some open with their first text.
    if (endpoint.contexts && of !== null && intent.kind !== 'openContext') {
      dialect.encode({ kind: 'openContext', context: of, settings: exampleVoice(endpoint) });
      dialect.encode({ kind: 'say', context: of, text: 'Hi. ' });
    }
    return dialect;
  };
  const readAll = (frames: readonly Frame[]): Intent[] =>
    frames.flatMap((frame) => protocolOf(endpoint).readIntents(frame));

  it('returns an intent from its frames, or another one whose frames they are a part of', () => {
    fc.assert(
      fc.property(intentsOf(endpoint), (intent) => {
        const dialect = opened(intent);
        const frames = dialect.encode(intent);
        if (frames.length === 0) return;
        const read = readAll(frames);
        if (intent.kind === 'say') {
          expect(new Set(read.map(({ kind }) => kind))).toEqual(new Set(['say']));
          // A wire may cut text where it sets off a generation, and hold an open tag until the end of the turn.
          const held = readAll(dialect.encode({ kind: 'endTurn', context: intent.context }));
          const said = [...read, ...held].map((one) =>
            one.kind === 'say' && one.context === intent.context ? one.text : '',
          );
          expect(said.join('')).toBe(intent.text);
        } else if (JSON.stringify(read[0]) !== JSON.stringify(intent)) {
          const encoded = [read, ...read.map((one) => [one])].map((all) => {
            const twin = opened(intent);
            return all.flatMap((one) => twin.encode(one));
          });
          expect(encoded.some((all) => frames.every((frame) => all.includes(frame)))).toBe(true);
        }
      }),
    );
  });

  it('returns the text and the end of a turn of our own client', () => {
    const dialect = protocolOf(endpoint).open({ settings: {}, key: 'key' });
    const name = endpoint.contexts ? 'narrator' : ONLY_CONTEXT;
    const end = endpoint.flushEndsTurn ? 'flush' : 'endTurn';
    const opens = endpoint.contexts ? { opens: exampleVoice(endpoint) } : {};
    const turn: Intent[] = [
      { kind: 'open', settings: {} },
      { kind: 'say', context: name, text: 'Hi there. ', ...opens },
      { kind: end, context: name },
    ];
    const read = readAll(turn.flatMap((intent) => dialect.encode(intent)));
    const said = read.map((intent) => (intent.kind === 'say' && intent.context === name ? intent.text : ''));
    expect(said.join('')).toBe('Hi there. ');
    expect(read).toContainEqual({ kind: end, context: name });
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
