import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Endpoint, Protocol } from '#protocol/core/endpoint.ts';
import { openParrotLinter } from '#protocol/testing/parrot/lint.ts';
import { parrot } from '#protocol/testing/parrot/parrot.ts';
import { CHARACTER_MS, ParrotServer, toneOf } from '#protocol/testing/parrot/server.ts';
import type { ExchangeTask } from '#recordings/files/exchange-messages.ts';
import { SNIPPETS } from '#recordings/files/snippets.ts';
import { timedTurns } from '#recordings/files/timed-turns.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { RecordingWorld, recordedEntries } from '#recordings/testing/world.ts';
import { isOpening } from '#trace/connection.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { EntryLinter } from '#trace/entry-linter.ts';
import { RecordedSpeech } from '#trace/recorded-speech.ts';
import { timingsJson } from '#trace/words/word-timings.ts';
import { ReplayWorld, record } from './testing/recorded.ts';
import { driveWarmUp } from './testing/warm-up.ts';
import { type ScriptedSocket, World } from './testing/world.ts';

/** A vendor takes one folder and the lines that register it. Those of a made-up one are here instead of in their files. */

// Files of a thread share their modules, which are loaded again with the vendor, and again without it.
vi.hoisted(() => vi.resetModules());

vi.mock('#protocol/registry.ts', async (load) => {
  const registry = await load<typeof import('#protocol/registry.ts')>();
  const { PAGE_ENDPOINTS, ENDPOINTS, endpointNamed, endpointOf } = registry;
  const { parrot } = await import('#protocol/testing/parrot/parrot.ts');
  return {
    ...registry,
    PAGE_ENDPOINTS: [...PAGE_ENDPOINTS, parrot],
    ENDPOINTS: [...ENDPOINTS, parrot],
    endpointNamed: (id: string): Endpoint | null => (id === parrot.id ? parrot : endpointNamed(id)),
    endpointOf: (id: string): Endpoint => (id === parrot.id ? parrot : endpointOf(id)),
  };
});
vi.mock('#protocol/protocols.ts', async (load) => {
  const { loadProtocols, protocolOf } = await load<typeof import('#protocol/protocols.ts')>();
  const { parrot, parrotProtocol } = await import('#protocol/testing/parrot/parrot.ts');
  const { ENDPOINTS } = await import('#protocol/registry.ts');
  await loadProtocols(ENDPOINTS.filter(({ id }) => id !== parrot.id));
  return {
    loadProtocols: () => null,
    loadProtocolOf: () => null,
    protocolOf: (endpoint: Endpoint): Protocol =>
      endpoint.id === parrot.id ? parrotProtocol : protocolOf(endpoint),
  };
});
vi.mock('#protocol/rules.ts', async (load) => {
  const { loadRules, openLinter } = await load<typeof import('#protocol/rules.ts')>();
  const { ENDPOINTS } = await import('#protocol/registry.ts');
  await loadRules(ENDPOINTS.filter(({ id }) => id !== parrot.id));
  return {
    loadRules: () => null,
    openLinter: (id: string) => (id === parrot.id ? openParrotLinter() : openLinter(id)),
  };
});

afterAll(() => {
  for (const name of ['registry', 'protocols', 'rules']) vi.doUnmock(`#protocol/${name}.ts`);
  vi.resetModules();
});

const KEY = 'sk_canary.7Qx-42';
const RATE = 24_000;
const VOICE = 'polly/2';
const [FIRST, SECOND, THIRD] = [
  'Good morning, dear parrots.',
  'Polly wants a cracker.',
  'Route 66 is closed until the ninth of May.',
] as const;
/** Differs from the text, so that it can only come from the server. */
const HEARD = 'Route sixty-six';
/** Off by half a microsecond, so that no step falls on the beginning of a quantum, where their order is arbitrary. */
const START_MS = 3.2105;

const FORMATS = ['pcm', 'mp3'] as const;
type Format = (typeof FORMATS)[number];
const ENCODINGS: Readonly<Record<Format, string>> = { pcm: 'pcm_s16le', mp3: 'mp3' };

const addressOf = (format: Format): string => `ws://aviary/v1/speak/polly%2F2?format=${format}&rate=${RATE}`;

const audio = new Map<string, Uint8Array<ArrayBuffer>>();
beforeAll(async () => {
  for (const format of FORMATS)
    for (const text of [FIRST, SECOND, THIRD])
      audio.set(`${format} ${text}`, await toneOf(text, format, RATE));
});

/** Compressed frames that came have their decoder. */
async function caughtUp({ session }: World): Promise<void> {
  while (session.isWaiting) await new Promise(setImmediate);
}

/** A session that speaks with the vendor. */
class Aviary {
  readonly world = new World(undefined, parrot);
  readonly recorded = record(this.world);
  readonly attachedMs: number;
  readonly startedMs: number;
  readonly #format: Format;
  readonly #open = new WeakSet<ScriptedSocket>();

  constructor(format: Format) {
    this.#format = format;
    // No book describes its messages.
    this.world.sendsNonsense = true;
    this.world.do({
      type: 'target',
      target: { endpoint: parrot.id, base: 'ws://aviary', key: KEY },
      settings: { voice: VOICE, format, rate: RATE },
    });
    this.world.attachPlayer(RATE);
    this.attachedMs = this.world.nowMs;
    this.world.advance(START_MS);
    this.startedMs = this.world.nowMs;
  }

  /** Types a whole turn, and gives the server of the connection that it went out on. */
  speak(text: string): ParrotServer {
    this.world.do({ type: 'speak', text });
    this.world.advance(7);
    for (const socket of this.world.sockets) {
      if (this.#open.has(socket)) continue;
      this.#open.add(socket);
      socket.open();
    }
    this.world.advance(2);
    return new ParrotServer(this.connectionOf(text), text, audio.get(`${this.#format} ${text}`) ?? SILENCE);
  }

  connectionOf(text: string): ScriptedSocket {
    const found = this.world.sockets.find(({ sent }) => JSON.stringify(sent).includes(text));
    if (!found) throw new Error(`No connection has sent "${text}".`);
    return found;
  }

  /** Two turns. The second is typed while the first still comes. */
  async twoTurns(): Promise<void> {
    const { world } = this;
    const first = this.speak(FIRST);
    first.deliver(0.5);
    await caughtUp(world);
    world.advance(101);
    const second = this.speak(SECOND);
    second.deliver(0.5);
    await caughtUp(world);
    first.deliver(1);
    await caughtUp(world);
    world.advance(5);
    first.hangUp();
    world.advance(11);
    second.deliver(1);
    await caughtUp(world);
    second.hangUp();
    world.advance(4000);
  }

  /** A third turn, which is cut off after a second. */
  async cancelledTurn(): Promise<void> {
    const { world } = this;
    const third = this.speak(THIRD);
    third.deliver(0.6);
    await caughtUp(world);
    world.advance(1003);
    world.do({ type: 'cancel' });
    // Was on its way.
    third.deliver(0.5);
    await caughtUp(world);
    world.advance(20);
    third.confirmCancel(HEARD);
    world.advance(2);
    third.hangUp();
    world.advance(2000);
  }

  get entries(): RecordEntry[] {
    return this.recorded.entries();
  }
}

const SILENCE = new Uint8Array();

async function wholeSession(format: Format): Promise<Aviary> {
  const aviary = new Aviary(format);
  await aviary.twoTurns();
  await aviary.cancelledTurn();
  return aviary;
}

/** The state of each turn, without the times of its world. */
const turnsOf = ({ turns }: World) =>
  [...turns.values()].map(({ id, context, state, text, samples, audioFrames, lateFrames, chunks }) => ({
    ...{ id, context, state, text, samples, audioFrames, lateFrames },
    chunks: chunks.map((chunk) => ({ text: chunk.text, samples: chunk.samples, words: chunk.words })),
  }));

/** Frames of a connection, as the server got them. */
const sentOn = (socket: ScriptedSocket) => socket.sent as Record<string, unknown>[];

describe.each(FORMATS)('a session with a made-up vendor, in %s', (format) => {
  it('opens a connection with the voice in the path, the format in the query, and the key as a subprotocol', async () => {
    const aviary = new Aviary(format);
    aviary.speak(FIRST);
    expect(aviary.connectionOf(FIRST)).toMatchObject({
      address: addressOf(format),
      protocols: ['token', KEY],
    });
  });

  it('speaks each turn on its own connection, under an id of its own', async () => {
    const aviary = new Aviary(format);
    await aviary.twoTurns();
    const connections = [FIRST, SECOND].map((text) => aviary.connectionOf(text));
    const texts = connections.map((socket) => sentOn(socket).map(({ id, ...rest }) => rest));
    expect(texts).toEqual([FIRST, SECOND].map((text) => [{ text }, { end: true }]));
    const ids = connections.map((socket) => new Set(sentOn(socket).map(({ id }) => id)));
    expect(ids.map(({ size }) => size)).toEqual([1, 1]);
    expect(new Set(ids.flatMap((each) => [...each])).size).toBe(2);
  });

  it('hears both to their end, with the words of their characters, although the first still came in', async () => {
    const aviary = new Aviary(format);
    await aviary.twoTurns();
    const { world } = aviary;
    expect([...world.turns.keys()]).toEqual([1, 2]);
    for (const [at, text] of [FIRST, SECOND].entries()) {
      const turn = world.turn(at + 1);
      expect(turn).toMatchObject({ state: 'ended', context: '', text, lateFrames: 0, underruns: [] });
      const words = turn.chunks.flatMap((chunk) => chunk.words ?? []);
      expect(words.map(({ word }) => word)).toEqual(text.split(' '));
      expect(words.map(({ charStart, charEnd }) => text.slice(charStart, charEnd))).toEqual(text.split(' '));
      expect(turn.chunks.map((chunk) => chunk.text).join('')).toBe(text);
      const heardMs = (turn.heardToMs ?? 0) - (turn.heardFromMs ?? 0);
      expect(heardMs).toBeCloseTo((turn.samples / RATE) * 1000, 3);
      // An encoder adds some samples at both ends.
      const spokenMs = [...text].length * CHARACTER_MS;
      expect(heardMs).toBeGreaterThanOrEqual(spokenMs);
      expect(heardMs).toBeLessThan(spokenMs + (format === 'pcm' ? 1 : 150));
    }
    expect(world.turn(2).heardFromMs).toBeGreaterThanOrEqual(world.turn(1).heardToMs ?? Number.NaN);
    expect(world.problems).toEqual([]);
    expect(world.timers).toBe(0);
  });

  it('cancels with the played part of the turn, and shows the text that the server says was heard', async () => {
    const aviary = await wholeSession(format);
    const { world } = aviary;
    const cancel = sentOn(aviary.connectionOf(THIRD)).find((frame) => 'cancel' in frame);
    const heard = aviary.recorded.played('heard').find(({ turn }) => turn === 3);
    const samples = (heard?.spans ?? []).reduce((sum, { count }) => sum + count, 0);
    expect(samples).toBeGreaterThan(RATE / 2);
    // The glide into silence is not part of it.
    expect(Math.abs(Number(cancel?.played_ms) - (samples / RATE) * 1000)).toBeLessThan(20);
    expect(world.turn(3)).toMatchObject({ state: 'cancelled', text: THIRD });
    expect(world.turn(3).lateFrames).toBeGreaterThan(0);
    expect(JSON.stringify(world.turn(3))).toContain(HEARD);
    expect(world.problems).toEqual([]);
    expect(world.timers).toBe(0);
  });

  it('exports the text that the server says was heard, beside that of the player', async () => {
    const { entries } = await wholeSession(format);
    const speech = new RecordedSpeech(parrot.id, null);
    for (const entry of entries) await speech.add(entry);
    const { turns } = JSON.parse(timingsJson(timedTurns(speech.turns)));
    expect(turns.map(({ heard }: { heard?: object }) => heard !== undefined)).toEqual([false, false, true]);
    const { server, clock } = turns[2].heard;
    expect(server).toBe(HEARD);
    expect(clock.length).toBeGreaterThan(0);
    expect(clock).not.toBe(THIRD);
    expect(THIRD.startsWith(clock)).toBe(true);
  });

  it('records every connection with its address and its format, and the key nowhere', async () => {
    const aviary = await wholeSession(format);
    const { entries } = aviary;
    const [begin] = aviary.recorded.posted.filter((message) => message.type === 'begin').slice(-1);
    expect(begin).toMatchObject({ start: { endpoint: parrot.id, address: addressOf(format) } });
    const opening = {
      address: addressOf(format),
      format: { encoding: ENCODINGS[format], sampleRate: RATE },
    };
    const openings = entries.filter(isOpening).map(({ payload }) => JSON.parse(String(payload)));
    const ahead = { ...opening, ahead: true };
    expect(openings).toEqual([opening, ahead, ahead, ahead]);
    expect(JSON.stringify([begin, entries])).not.toContain(KEY);
    const places = entries
      // A cancel of all names no turn.
      .filter(({ direction, kind }) => (direction === 'in' || direction === 'out') && kind !== 'cancel')
      .map(({ connection, turn, context }) => `${connection}: ${turn} ${context}`);
    expect([...new Set(places)].sort()).toEqual(['1: 1 null', '2: 2 null', '3: 3 null']);
    // The frames of two connections are recorded in the order of their arrival.
    const order = entries.filter(({ kind }) => kind === 'audio').map(({ connection }) => connection);
    expect(order).not.toEqual(order.toSorted());
    const ends = entries.filter(({ kind }) => kind === 'closed').map(({ connection }) => connection);
    expect(ends).toEqual([1, 2, 3]);
  });

  it('is replayed from its recording alone, sample by sample and word by word', async () => {
    const aviary = await wholeSession(format);
    const { world, entries, startedMs, attachedMs } = aviary;
    const again = new ReplayWorld(parrot);
    again.attachPlayer(RATE);
    again.advance(startedMs - attachedMs);
    again.play(entries);
    await caughtUp(again);
    // In small steps, so that each turn finds a decoder.
    while (again.nowMs < world.nowMs) {
      again.advance(Math.min(5, world.nowMs - again.nowMs));
      await caughtUp(again);
    }
    expect(turnsOf(again)).toEqual(turnsOf(world));
    expect(again.heard).toHaveLength(world.heard.length);
    expect(again.heard.findIndex((sample, at) => sample !== world.heard[at])).toBe(-1);
    expect(again.heard.some((sample) => sample !== 0)).toBe(true);
    expect(again.run.isOver).toBe(true);
    expect(again.sockets).toEqual([]);
  });

  it('breaks no rule, and a frame that breaks one is found', async () => {
    const { entries } = await wholeSession(format);
    const findingsOf = (change: (text: string) => string) => {
      const linter = new EntryLinter(parrot.id);
      return entries.flatMap((entry) => {
        const { payload } = entry;
        return linter.take(entry, typeof payload === 'string' ? change(payload) : payload);
      });
    };
    expect(findingsOf((text) => text)).toEqual([]);
    const found = findingsOf((text) => text.replace('"end_ms":[', '"end_ms":[7,'));
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(['server-shape']));
    expect(found.map(({ message }) => message).join()).toContain('a start and an end for each character');
  });
});

describe('connections of a made-up vendor, each for one turn', () => {
  it('keeps the turn and its connection over a flush, which only forces synthesis', () => {
    const { world } = new Aviary('mp3');
    for (const text of ['Hello ', 'there. ']) {
      world.do({ type: 'say', text, origin: 'typed' });
      world.do({ type: 'flush' });
      if (text === 'Hello ') world.socket.open();
      world.advance(7);
    }
    world.do({ type: 'endTurn' });
    world.advance(7);
    const [first, next] = world.sockets;
    expect(next?.sent).toEqual([]);
    const sent = sentOn(first ?? world.socket).map(({ id, ...rest }) => rest);
    expect(sent).toEqual([
      { text: 'Hello ' },
      { flush: true },
      { text: 'there. ' },
      { flush: true },
      { end: true },
    ]);
    expect([...world.turns.values()].map(({ text }) => text)).toEqual(['Hello there. ']);
  });

  it('hears turns in their order, although the second connection is faster', async () => {
    const aviary = new Aviary('mp3');
    const { world } = aviary;
    const first = aviary.speak(FIRST);
    const second = aviary.speak(SECOND);
    second.deliver(1);
    await caughtUp(world);
    second.hangUp();
    world.advance(500);
    first.deliver(1);
    await caughtUp(world);
    first.hangUp();
    world.advance(5000);
    for (const id of [1, 2]) {
      const { heardFromMs, heardToMs, samples, played } = world.turn(id);
      expect((heardToMs ?? 0) - (heardFromMs ?? 0)).toBeCloseTo((samples / RATE) * 1000, 3);
      expect(played).toHaveLength(1);
    }
    expect(world.turn(2).heardFromMs).toBeGreaterThanOrEqual(world.turn(1).heardToMs ?? Number.NaN);
  });

  it('loses only the turn of the connection that is lost', async () => {
    const aviary = new Aviary('mp3');
    const { world } = aviary;
    const first = aviary.speak(FIRST);
    first.deliver(0.5);
    await caughtUp(world);
    aviary.speak(SECOND);
    aviary.connectionOf(SECOND).close(1006);
    first.deliver(1);
    await caughtUp(world);
    first.hangUp();
    world.advance(4000);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['ended', 'lost']);
    expect(world.turns.size).toBe(2);
    expect(world.turn(1).heardToMs).not.toBeNull();
    expect(world.problems).toHaveLength(1);
  });

  it('speaks the next turn on another connection after an error in the middle of a text', () => {
    const aviary = new Aviary('mp3');
    const { world } = aviary;
    world.do({ type: 'say', text: 'Hello ', origin: 'typed' });
    world.advance(7);
    world.socket.open();
    world.advance(7);
    const broken = world.socket;
    broken.say({ error: 'BUSY', message: 'No' });
    aviary.speak(SECOND);
    expect(sentOn(broken).map(({ text }) => text)).toEqual(['Hello ']);
    expect(aviary.connectionOf(SECOND)).not.toBe(broken);
  });

  it('takes a connection that a person has closed for no end of its turn', async () => {
    const aviary = new Aviary('mp3');
    const { world } = aviary;
    const first = aviary.speak(FIRST);
    first.deliver(0.5);
    await caughtUp(world);
    world.do({ type: 'disconnect' });
    aviary.connectionOf(FIRST).close(1000);
    world.advance(3000);
    expect(world.turn(1).state).toBe('lost');
    expect(world.problems).toEqual([]);
    expect(aviary.entries.find(({ kind }) => kind === 'closed')?.payload).toContain('"asked":true');
  });

  it('leaves a connection whose turn is cancelled and whose server does not close it', async () => {
    const aviary = new Aviary('mp3');
    const { world } = aviary;
    const first = aviary.speak(FIRST);
    first.deliver(0.5);
    await caughtUp(world);
    world.do({ type: 'cancel' });
    first.confirmCancel(HEARD);
    world.advance(6000);
    expect(aviary.connectionOf(FIRST).closedWith).toBe(1000);
    // That of the next turn.
    expect(world.seen.connection).toMatchObject({ state: 'open', open: 1 });
    expect(world.timers).toBe(0);
  });

  it('opens the next connection once the text has ended, so that the next text waits for no handshake', () => {
    const { world } = new Aviary('mp3');
    world.do({ type: 'speak', text: FIRST });
    world.socket.open();
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    world.do({ type: 'speak', text: SECOND });
    expect(sentOn(world.sockets[1] ?? world.socket)[0]).toMatchObject({ text: SECOND });
  });

  it.each([
    ['that opened', true],
    ['that did not open', false],
  ])(
    'says nothing when the server ends a spare connection %s, and opens one for the next turn',
    async (_, opens) => {
      const aviary = new Aviary('mp3');
      const { world } = aviary;
      world.do({ type: 'speak', text: FIRST });
      world.socket.open();
      const line = aviary.connectionOf(FIRST);
      const first = new ParrotServer(line, FIRST, audio.get(`mp3 ${FIRST}`) ?? SILENCE);
      const spare = world.socket;
      if (opens) {
        spare.open();
        spare.say({ error: 'IDLE', message: 'Nothing was said' });
      }
      spare.close(opens ? 1008 : 1006);
      first.deliver(1);
      await caughtUp(world);
      first.hangUp();
      world.advance(30_000);
      expect(world.problems).toEqual([]);
      expect(world.sockets).toHaveLength(2);
      expect(world.seen.connection).toMatchObject({ state: 'closed', close: null, open: 0 });
      expect(world.turn(1).state).toBe('ended');
      aviary.speak(SECOND);
      expect(aviary.connectionOf(SECOND)).toBe(world.sockets[2]);
    },
  );

  it('sends a text that waited for a spare connection on another one', () => {
    const { world } = new Aviary('pcm');
    world.do({ type: 'speak', text: FIRST });
    world.socket.open();
    world.do({ type: 'speak', text: SECOND });
    world.socket.close(1006);
    world.socket.open();
    expect(sentOn(world.sockets[2] ?? world.socket)[0]).toMatchObject({ text: SECOND });
    expect(world.problems).toEqual([]);
  });
});

type ExportTask = Extract<ExchangeTask, { kind: 'export' }>;

/** A session that was recorded and stored. */
async function stored(format: Format) {
  const world = new RecordingWorld();
  world.begin({ endpoint: parrot.id, address: addressOf(format) });
  const aviary = await wholeSession(format);
  await world.keep(aviary.entries);
  const id = world.view.recorder?.recording ?? '';
  const exported = async (task: Pick<ExportTask, 'format' | 'part'>, recording = id): Promise<Blob> => {
    const outcome = await world.exchange({ kind: 'export', recording, ...task });
    if (outcome.kind !== 'exported') throw new Error(JSON.stringify(outcome));
    return outcome.files[0]?.blob ?? new Blob();
  };
  const imported = async (file: Blob): Promise<ShownEntry[]> => {
    const task = { kind: 'import', file, name: 'a file', once: false, split: 'endpoint' } as const;
    const outcome = await world.exchange(task);
    if (outcome.kind !== 'imported') throw new Error(JSON.stringify(outcome));
    expect(outcome.recordings).toHaveLength(1);
    return entriesOf(outcome.recordings[0] ?? '');
  };
  async function entriesOf(recording: string): Promise<ShownEntry[]> {
    const entries: ShownEntry[] = [];
    for await (const entry of recordedEntries(world.recordings, recording)) entries.push(entry);
    return entries;
  }
  return { aviary, world, id, exported, imported, entriesOf };
}

describe.each(FORMATS)('a recording of a made-up vendor, in %s', (format) => {
  it('is exported as the sound that came, and as captions', async () => {
    const { aviary, exported } = await stored(format);
    for (const turn of [1, 2, 3]) {
      const wav = await exported({ format: 'receivedWav', part: { turn } });
      // A turn that was cut off has late audio beside the samples of its turn.
      const least = aviary.world.turn(turn).samples;
      if (turn === 3) expect((wav.size - 44) / 2).toBeGreaterThan(least);
      else expect((wav.size - 44) / 2).toBe(least);
    }
    const captions = await (await exported({ format: 'vtt', part: { context: null } })).text();
    const timings = await (await exported({ format: 'words', part: { context: null } })).text();
    const words = [...timings.matchAll(/"word": "(.*)"/g)].map(([, word]) => word);
    expect(words.join(' ')).toContain(`${FIRST} ${SECOND}`);
    const spoken = captions.replace(/^.*-->.*$/gm, '').replace(/\s+/g, ' ');
    expect(spoken).toContain(`${FIRST} ${SECOND}`);
  });

  it('is the same after a HAR file of its own', async () => {
    const { id, exported, imported, entriesOf } = await stored(format);
    const file = await exported({ format: 'har', part: { context: null } });
    const entries = await imported(file);
    expect(new Set(entries.map(({ connection }) => connection))).toEqual(new Set([1, 2, 3, 4]));
    expect(entries).toEqual(await entriesOf(id));
  });

  it('is read from a HAR file of another program, with its turns', async () => {
    const { exported, imported } = await stored(format);
    const har = JSON.parse(await (await exported({ format: 'har', part: { context: null } })).text());
    const foreign = JSON.stringify(har, (name, value) => (name === '_voicewire' ? undefined : value));
    const entries = await imported(new Blob([foreign]));
    const audioOf = (turn: number) =>
      entries.filter((entry) => entry.turn === turn && entry.kind === 'audio');
    for (const turn of [1, 2, 3]) expect(audioOf(turn).length).toBeGreaterThan(0);
    for (const { connection, turn, direction } of entries)
      if (direction === 'in') expect(turn).toBe(connection);
  });
});

it('its recording becomes a program that offers the key as the subprotocol', async () => {
  const { world, id } = await stored('pcm');
  const outcome = await world.exchange({ kind: 'snippet', recording: id });
  if (outcome.kind !== 'snippet') throw new Error(JSON.stringify(outcome));
  const { typescript, python } = SNIPPETS;
  expect(typescript.write(outcome.source)).toContain("['token', key]");
  expect(python.write(outcome.source)).toContain("subprotocols=['token', KEY]");
});

it('warms up with a whole turn, which ends with its connection', async () => {
  const { world, seen, run, runUntil } = driveWarmUp(parrot);
  await run();
  expect(seen.problems).toEqual([]);
  expect(seen.turn).toMatchObject({ state: 'ended', chunks: [{ completedMs: expect.any(Number) }] });
  await runUntil(() => world.timers === 0);
});
