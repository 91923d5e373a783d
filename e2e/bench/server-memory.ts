import { percentile } from '#lib/statistics/percentiles.ts';
import { openSpeaker, speakTurn, TEXT } from './kugel-socket.ts';
import { startLocalServer } from './local-server.ts';
import { ms, printTable } from './table.ts';

const STARTS = 3;
const SESSIONS = 50;
/** The engine's warm-up goes on after the start. */
const SETTLED_AFTER_MS = 5000;

const mib = (value: number): string => `${value.toFixed(0)} MiB`;

/** One start: until the line that the server is ready, and its resident memory before and after clients. */
async function measure() {
  const beganMs = performance.now();
  const server = await startLocalServer();
  try {
    const readyMs = performance.now() - beganMs;
    await new Promise((settled) => setTimeout(settled, SETTLED_AFTER_MS));
    const idleMiB = server.residentMiB();
    const voices = Array.from({ length: SESSIONS }, (_, index) => (index % 2 === 0 ? 1071 : 1072));
    const sockets = await Promise.all(voices.map((voice) => openSpeaker(server, voice)));
    await Promise.all(sockets.map((socket) => speakTurn(socket, TEXT)));
    for (const socket of sockets) socket.close();
    return { readyMs, idleMiB, usedMiB: server.residentMiB() };
  } finally {
    await server.stop();
  }
}

/** Start and resident memory of the built server, as `npm start` and `npx` run it. */
export async function benchServerMemory(): Promise<void> {
  const starts: Awaited<ReturnType<typeof measure>>[] = [];
  for (let start = 0; start < STARTS; start += 1) starts.push(await measure());
  const median = (figure: (start: (typeof starts)[number]) => number) => percentile(starts.map(figure), 0.5);
  printTable(
    'Server: start and memory',
    `Medians of ${STARTS} starts. Resident memory of the process with its threads, from /proc.`,
    [
      {
        'ready after': ms(median(({ readyMs }) => readyMs)),
        'RSS idle': mib(median(({ idleMiB }) => idleMiB)),
        [`RSS after ${SESSIONS} sessions at once`]: mib(median(({ usedMiB }) => usedMiB)),
      },
    ],
  );
}
