import { once } from 'node:events';
import { percentile } from '#lib/statistics/percentiles.ts';
import { openSocket, openSpeaker, speakTurn, TEXT } from './kugel-socket.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { ms, printTable, us } from './table.ts';

const MESSAGES = 5000;
const CALLS = 500;
const TURNS = 25;
/** Not measured, until both ways run compiled code. */
const WARM_UP = 500;

/** One way to the same server. */
interface Way {
  name: string;
  http: string;
  ws: string;
}

/** Takes the time of a task on each way in turn, so that the load of the machine is the same for both. */
async function alternate(
  count: number,
  warmUp: number,
  tasks: readonly (() => Promise<number>)[],
): Promise<number[][]> {
  const times = tasks.map((): number[] => []);
  for (let round = -warmUp; round < count; round += 1)
    for (const [at, task] of tasks.entries()) {
      const timeMs = await task();
      if (round >= 0) times[at]?.push(timeMs);
    }
  return times;
}

/** The shortest question with an answer: murmr's `ping` message. */
async function pinger({ ws }: Way): Promise<() => Promise<number>> {
  const socket = await openSocket(`${ws}/murmr/v1/realtime`);
  socket.send(JSON.stringify({ type: 'config', api_key: 'local', voice_description: 'calm' }));
  await once(socket, 'message');
  return async () => {
    const sentMs = performance.now();
    socket.send('{"type":"ping"}');
    await once(socket, 'message');
    return performance.now() - sentMs;
  };
}

const caller =
  ({ http }: Way): (() => Promise<number>) =>
  async () => {
    const sentMs = performance.now();
    await (await fetch(`${http}/kugel/v1/models`)).arrayBuffer();
    return performance.now() - sentMs;
  };

async function speaker(way: Way): Promise<() => Promise<number>> {
  const socket = await openSpeaker(way, 1071);
  return async () => (await speakTurn(socket, TEXT)).firstAudioMs;
}

const rowsOf = (what: string, ways: readonly Way[], times: readonly number[][]): Record<string, string>[] => {
  const medians = times.map((each) => percentile(each, 0.5));
  return ways.map(({ name }, at) => ({
    what: `${what}, ${name}`,
    times: String(times[at]?.length),
    p50: ms(medians[at] ?? Number.NaN),
    p95: ms(percentile(times[at] ?? [], 0.95)),
    'added at the median': at === 0 ? '' : us(1000 * ((medians[at] ?? Number.NaN) - (medians[0] ?? 0))),
  }));
};

/** The way through the relay of a second server beside the direct one. */
export async function benchRelay(): Promise<void> {
  const servers: LocalServer[] = [];
  try {
    const direct = await startLocalServer();
    servers.push(direct);
    const relay = await startLocalServer({
      VOICEWIRE_RELAY_KUGEL: `${direct.ws}/kugel`,
      VOICEWIRE_RELAY_MURMR: `${direct.ws}/murmr`,
    });
    servers.push(relay);
    const ways: Way[] = [
      { name: 'direct', http: direct.http, ws: direct.ws },
      { name: 'relay', http: `${relay.http}/relay`, ws: `${relay.ws}/relay` },
    ];
    const messages = await alternate(MESSAGES, WARM_UP, await Promise.all(ways.map(pinger)));
    const calls = await alternate(CALLS, WARM_UP, ways.map(caller));
    const turns = await alternate(TURNS, 2, await Promise.all(ways.map(speaker)));
    printTable(
      'Relay: time of a message and its answer, of a call, and to the first audio frame',
      'Both ways lead to the same server and are measured in turn. The relay is a process of its own, with capture on.',
      [
        ...rowsOf('message', ways, messages),
        ...rowsOf('GET /v1/models', ways, calls),
        ...rowsOf('first audio', ways, turns),
      ],
    );
  } finally {
    for (const server of servers) await server.stop();
  }
}
