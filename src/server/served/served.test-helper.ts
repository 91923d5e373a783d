import type { ClientOptions } from 'ws';
import { type Clock, systemClock } from '#lib/clock.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { CaptureReader } from '#recordings/capture/capture-reader.ts';
import { messageOfEntry } from '#trace/capture-messages.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from '#trace/entry.ts';
import type { ApplicationOptions } from '../application.ts';
import { Capture } from '../capture/capture.ts';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { type Frame, SocketClient } from '../socket-client.test-helper.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { Cassette, type Manner } from './cassette.ts';
import { clientDifferenceWords } from './client-difference.ts';
import { readServable } from './read-cassette.ts';
import { ServedScript } from './script.ts';
import { ServedRecordings } from './served-recordings.ts';
import { ServedSession } from './served-session.ts';

/** What a client does: sends a message, waits for the nth frame of a kind, or for so many frames, or closes. */
export type Act = { send: Frame | string } | { until: string; nth?: number } | { frames: number } | 'close';

export interface Acted {
  received: readonly (Frame | Buffer)[];
  closed: { code: number; reason: string };
}

/** Acts as a client of one connection until it is closed. */
export async function act(
  address: string,
  acts: readonly Act[],
  options: ClientOptions = {},
): Promise<Acted> {
  const client = new SocketClient(address, options);
  for (const one of acts) {
    if (one === 'close') client.socket.close(1000);
    else if ('send' in one) await client.send(one.send);
    else if ('until' in one) await client.until(one.until, one.nth);
    else await client.count(one.frames);
  }
  return { closed: await client.closed, received: client.received };
}

export interface Recorded {
  info: RecordingInfo;
  entries: NewEntry[];
}

/** Records what clients do with a local server that speaks at once. */
export async function recorded(
  run: (server: RunningServer) => Promise<unknown>,
  options: Partial<ApplicationOptions> = {},
): Promise<Recorded[]> {
  const capture = new Capture(systemClock);
  const server = await startTestServer({ engine: createTestEngine(), capture, ...options });
  try {
    await run(server);
  } finally {
    await server.stop();
  }
  return [...capture.connections.values()].map((connection) => {
    const reader = new CaptureReader(connection);
    const entries = connection.from(0, connection.length).map((entry) => reader.read(messageOfEntry(entry)));
    const { id, endpoint, address, startedAtMs, bytes } = connection;
    const info = {
      id,
      name: '',
      endpoint,
      address,
      startedAtMs,
      bytes,
      durationUs: 0,
      entries: entries.length,
      pinned: false,
    };
    return { info, entries };
  });
}

const FAST: Manner = { pace: 'fast', strict: false, closes: false, repeats: false };

export const indexed = (entries: readonly NewEntry[]): RecordEntry[] =>
  entries.map((entry, index) => ({ ...entry, index }));

/** Serves recordings while clients run. Returns what the clients did otherwise, in words. */
export async function served<T>(
  recordings: readonly Recorded[],
  run: (server: RunningServer) => Promise<T>,
  { clock = systemClock, ...manner }: Partial<Manner & { clock: Clock }> = {},
): Promise<{ result: T; differences: string[]; moved: string[]; left: number }> {
  const read = await Promise.all(
    recordings.map(({ info, entries }, at) => readServable(info, indexed(entries), `recording ${at + 1}`)),
  );
  const cassette = new Cassette(
    {
      connections: read.flatMap(({ connections }) => connections),
      calls: read.flatMap(({ calls }) => calls),
    },
    { ...FAST, ...manner },
  );
  const served = new ServedRecordings(cassette);
  const silent = createTestEngine();
  const server = await startTestServer({ engine: silent, served, clock });
  try {
    const result = await run(server);
    if (silent.requests.length > 0) throw new Error('The engine was used.');
    const lines = cassette.runs.flatMap((run) => run.lines());
    const isMoved = (line: string) => line.startsWith('timing: ');
    return {
      result,
      differences: lines.filter((line) => !isMoved(line)),
      moved: lines.filter(isMoved).map((line) => line.replace('timing: ', '')),
      left: cassette.connections.left.length + cassette.calls.left.length,
    };
  } finally {
    await server.stop();
  }
}

/** A frame, or an event, of a recording at that many ms. */
export type Line =
  | readonly [atMs: number, direction: 'out' | 'in', frame: Frame]
  | readonly [atMs: number, 'closed', object];

/** A recording of one connection. */
export function recordingOf(endpoint: Endpoint, lines: readonly Line[]): Recorded {
  const address = `ws://localhost${endpoint.localPrefix}${endpoint.path}`;
  const client = { endpoint: endpoint.id, address, startedAtMs: 0 };
  const reader = new CaptureReader(client);
  const event = (atMs: number, kind: string, what: object) =>
    reader.read({ atMs, direction: 'connection', kind, text: JSON.stringify(what) });
  const entries = [
    event(0, 'opening', { address }),
    event(0, 'opened', {}),
    ...lines.map(([atMs, direction, what]) =>
      direction === 'closed'
        ? event(atMs, 'closed', what)
        : reader.read({ atMs, direction, kind: '', text: JSON.stringify(what) }),
    ),
  ];
  const info = {
    id: 'r',
    name: '',
    ...client,
    durationUs: 0,
    bytes: 0,
    entries: entries.length,
    pinned: false,
  };
  return { info, entries };
}

/** The fields of a frame; of a binary one its bytes. */
export const fieldsIn = (frame: string | Uint8Array): Frame =>
  typeof frame === 'string' ? JSON.parse(frame) : { bytes: Buffer.from(frame).toString('base64') };

/** A client of one recorded connection, on a clock that the test moves. */
export function playedTo(recording: Recorded, manner: Partial<Manner> = {}) {
  const endpoint = endpointOf(recording.info.endpoint);
  const script = new ServedScript(endpoint, 0);
  for (const entry of indexed(recording.entries)) script.take(entry);
  const clock = createFakeClock();
  const sent: { atMs: number; frame: Frame }[] = [];
  const closes: { atMs: number; code: number; reason: string }[] = [];
  const [differences, moved]: [string[], string[]] = [[], []];
  const connection = testConnection(clock, {
    send: (message) => sent.push({ atMs: clock.nowMs(), frame: fieldsIn(message) }),
    close: (code, reason) => closes.push({ atMs: clock.nowMs(), code, reason }),
    reset: () => closes.push({ atMs: clock.nowMs(), code: 1006, reason: '' }),
  });
  const session = new ServedSession(connection, {
    endpoint,
    script,
    manner: { ...FAST, pace: 'recorded', ...manner },
    restart: { code: 1012, reason: 'restarting' },
    run: {
      differs: (difference) => differences.push(clientDifferenceWords(difference)),
      moves: (words) => moved.push(words),
    },
  });
  return {
    clock,
    sent,
    closes,
    differences,
    moved,
    send: (frame: Frame) => session.text(JSON.stringify(frame)),
    sendText: (frame: string) => session.text(frame),
    leave: () => session.gone(),
  };
}
