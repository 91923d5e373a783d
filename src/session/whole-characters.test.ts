import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHalf, replaceHalvesInJson } from '#lib/text/halves.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { SessionCommand } from './commands.ts';
import { EndpointSession } from './session.ts';
import { World } from './testing/world.ts';

const AT_ONCE = {
  timeToFirstTokenMs: 0,
  tokensPerSecond: 1000,
  jitter: 0,
  burst: { every: 0, size: 0 },
  stall: { chance: 0, ms: 0 },
};
const CHAT = {
  base: 'http://model/v1',
  model: 'scripted',
  key: '',
  messages: [],
  thoughts: { tag: '', isFirst: false },
};

/** Returns a session on an endpoint, with models that write the pieces of a text. */
function sessionOn(endpoint: Endpoint, pieces: readonly string[]): World {
  const world = new World(
    async () => [...pieces],
    endpoint,
    (options) => new EndpointSession(options),
    async function* () {
      yield* pieces;
      return null;
    },
  );
  world.do({ type: 'speakers', speakers: [{ id: 'one', settings: world.voice, keepOpen: false }] });
  return world;
}

/** Sends what waits, on a server that accepts everything. */
async function sent(world: World): Promise<string[]> {
  await world.advanceSettled(200);
  const socket = world.connect();
  socket.say({ type: 'config_ack', session_id: 's' });
  socket.say({ context_created: true, context_id: 'one' });
  await world.advanceSettled(4000);
  return world.sockets.flatMap(({ frames }) => frames.map(String));
}

/** The text in the frames of a client. ElevenLabs' begin with a space. */
const textOf = (frames: readonly string[]): string =>
  frames
    .map((frame) => JSON.parse(frame))
    .map(({ text, transcript }) => text ?? transcript ?? '')
    .join('')
    .trimStart();

const linesOf = (endpoint: Endpoint): string => (endpoint.contexts ? 'one' : '');

/** Each source of text, as the commands of a turn. */
const SOURCES: Record<string, (pieces: readonly string[], endpoint: Endpoint) => SessionCommand[]> = {
  typing: (pieces) => [
    ...pieces.map((text) => ({ type: 'say', text, origin: 'typed' }) as const),
    { type: 'endTurn' },
  ],
  'a whole text': (pieces) => [{ type: 'speak', text: pieces.join('') }],
  'a simulated model': (pieces) => [{ type: 'simulate', text: pieces.join(''), profile: AT_ONCE, seed: 1 }],
  'a live model': (_, endpoint) => [
    { type: 'ask', request: 1, question: 'Why?', context: linesOf(endpoint), chat: CHAT },
  ],
  'a line of a script': (pieces, endpoint) => [
    {
      type: 'perform',
      lines: [{ speaker: linesOf(endpoint), text: pieces.join(''), line: 0 }],
      source: { kind: 'whole' },
      closeAfter: false,
    },
  ],
  'a line that a simulated model writes': (pieces, endpoint) => [
    {
      type: 'perform',
      lines: [{ speaker: linesOf(endpoint), text: pieces.join(''), line: 0 }],
      source: { kind: 'simulated', profile: AT_ONCE, seed: 1 },
      closeAfter: false,
    },
  ],
};

const isFor = (source: string, { contexts }: Endpoint): boolean =>
  contexts ? !/typing|whole text|a simulated model$/.test(source) : !/^a line/.test(source);

/** A text with characters of two halves, cut anywhere, also between the halves. */
const piecesOfText = fc
  .tuple(
    fc.array(fc.constantFrom('Hi ', '😀', '👩‍🚀', '𝔸', 'あ', '. ', '🇩🇪'), { minLength: 1, maxLength: 12 }),
    fc.array(fc.nat(40), { maxLength: 12 }),
  )
  .map(([parts, places]) => {
    const text = `A${parts.join('')}!`;
    const cuts = [...new Set(places.filter((at) => at > 0 && at < text.length))].sort((a, b) => a - b);
    return [...cuts, text.length].map((to, at) => text.slice(cuts[at - 1] ?? 0, to));
  });

describe('half a character that waits', () => {
  const endpoint = ENDPOINTS.find(({ id }) => id === 'kugel-stream') as Endpoint;
  const half = { type: 'say', text: '\ud83d', origin: 'typed' } as const;
  const rest = [{ type: 'say', text: '\ude00 Go.', origin: 'typed' }, { type: 'endTurn' }] as const;

  it.each<[string, SessionCommand[]]>([
    ['is joined with the other half', []],
    ['is dropped by a cancel', [{ type: 'cancel' }]],
    ['is dropped by a cancel of its speaker', [{ type: 'cancel', context: '' }]],
    ['is dropped by the end of the connection', [{ type: 'disconnect' }]],
  ])('%s', async (_, between) => {
    const world = sessionOn(endpoint, []);
    for (const command of [half, ...between, ...rest]) world.do(command);
    expect(textOf(await sent(world))).toBe(between.length === 0 ? '😀 Go.' : 'Go.');
  });
});

/** Puts a piece of text into each place of a frame that can hold it. */
const halfFrames = (endpoint: Endpoint): string[] =>
  protocolOf(endpoint).templates.flatMap(({ frame }) => {
    const json = JSON.stringify({ ...frame, text: 'HALF 😀', transcript: 'HALF' });
    return ['\ud83d', '\ude00', '\\ud83d', '\\uDE00'].map((half) => json.replaceAll('HALF', half));
  });

describe.each(ENDPOINTS)('the frames of $id', (endpoint) => {
  it.each(Object.keys(SOURCES).filter((source) => isFor(source, endpoint)))(
    'contain whole characters and all of them, however %s divides them',
    async (source) => {
      await fc.assert(
        fc.asyncProperty(piecesOfText, async (pieces) => {
          const world = sessionOn(endpoint, pieces);
          for (const command of SOURCES[source]?.(pieces, endpoint) ?? []) world.do(command);
          const frames = await sent(world);
          for (const frame of frames) expect(replaceHalvesInJson(frame)).toBe(frame);
          expect(textOf(frames)).toBe(pieces.join(''));
        }),
        { numRuns: 15 },
      );
    },
  );

  it('have a replacement character for half of one that is written by hand', async () => {
    for (const frame of halfFrames(endpoint)) {
      const world = sessionOn(endpoint, []);
      world.sendsNonsense = true;
      world.do({ type: 'sendFrame', frame });
      const [byHand = ''] = (await sent(world)).filter((each) => each.includes('😀'));
      expect(JSON.parse(byHand).text).toBe('\ufffd 😀');
      for (const { text } of world.turns.values()) expect(hasHalf(text)).toBe(false);
    }
  });

  it('leave out half a character that gets no other half', async () => {
    const world = sessionOn(endpoint, ['One \ud83d', 'Two \ude00 three\ud83d']);
    const context = linesOf(endpoint);
    world.do({ type: 'ask', request: 1, question: 'Why?', context, chat: CHAT });
    const frames = await sent(world);
    expect(textOf(frames)).toBe('One Two  three');
  });
});
