import { percentile } from '#lib/statistics/percentiles.ts';
import { openSpeaker, speakTurn, TEXT, type TurnFigures } from './kugel-socket.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { ms, printTable, times } from './table.ts';

const ROUNDS = 6;

const rowOf = (name: string, turns: readonly TurnFigures[], residentMiB: number): Record<string, string> => {
  const first = turns.map((turn) => turn.firstAudioMs);
  const rtf = turns.map((turn) => turn.totalMs / 1000 / turn.audioSeconds);
  return {
    load: name,
    turns: String(turns.length),
    'first audio p50': ms(percentile(first, 0.5)),
    p95: ms(percentile(first, 0.95)),
    max: ms(Math.max(...first)),
    'RTF p50': percentile(rtf, 0.5).toFixed(3),
    'RTF max': Math.max(...rtf).toFixed(3),
    'slower than real time': String(rtf.filter((value) => value >= 1).length),
    RSS: `${residentMiB.toFixed(0)} MiB`,
  };
};

/** One turn of 50 sessions that flush in the same moment. */
async function speakTogether(server: LocalServer): Promise<TurnFigures[]> {
  const sockets = await Promise.all(
    Array.from({ length: 50 }, (_, index) => openSpeaker(server, index % 2 === 0 ? 1071 : 1072)),
  );
  const turns = await Promise.all(sockets.map((socket) => speakTurn(socket, TEXT)));
  for (const socket of sockets) socket.close();
  return turns;
}

/** Idle, 50 sessions that flush in the same moment with and without capture, and memory over many turns. */
export async function benchServerLoad(): Promise<void> {
  const server = await startLocalServer();
  const uncaptured = await startLocalServer({ VOICEWIRE_CAPTURE: 'off' });
  try {
    const rows: Record<string, string>[] = [];
    const one = await openSpeaker(server, 1071);
    await speakTurn(one, TEXT);
    const idle: TurnFigures[] = [];
    for (let run = 0; run < 40; run += 1) idle.push(await speakTurn(one, TEXT));
    rows.push(rowOf('1 session, one turn after another', idle, server.residentMiB()));

    const crowds = [server, uncaptured].map((each) => ({ server: each, turns: [] as TurnFigures[] }));
    for (const crowd of crowds) await speakTogether(crowd.server);
    // Rounds alternate in both orders, because the load of the machine changes.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const crowd of round % 2 === 0 ? crowds : crowds.toReversed())
        crowd.turns.push(...(await speakTogether(crowd.server)));
    }
    for (const { server: each, turns } of crowds) {
      const name = `50 sessions at once, ${ROUNDS} rounds, capture ${each === server ? 'on' : 'off'}`;
      rows.push(rowOf(name, turns, each.residentMiB()));
    }

    const before = server.residentMiB();
    const turns = 1000;
    const began = performance.now();
    let audioSeconds = 0;
    for (let turn = 0; turn < turns; turn += 1)
      audioSeconds += (await speakTurn(one, 'One more turn, please.')).audioSeconds;
    const wallSeconds = (performance.now() - began) / 1000;
    const after = server.residentMiB();
    one.close();
    printTable(
      'Server: from flush to first audio frame, RTF and memory',
      'Client and server share this machine. RTF is the time to the end of the turn divided by its audio time.',
      rows,
    );
    process.stdout.write(
      `\n${turns} short turns on one socket: ${audioSeconds.toFixed(0)} s of audio in ${wallSeconds.toFixed(1)} s ` +
        `(${times(audioSeconds / wallSeconds)} real time), RSS ${before.toFixed(0)} → ${after.toFixed(0)} MiB.\n`,
    );
  } finally {
    await Promise.all([server.stop(), uncaptured.stop()]);
  }
}
