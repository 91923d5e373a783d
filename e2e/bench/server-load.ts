import type { WebSocket } from 'ws';
import { percentile } from '#lib/statistics/percentiles.ts';
import { openKugelSocket, TEXT } from './kugel-socket.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { ms, printTable, times } from './table.ts';

/** The times of one turn, seen from the client. */
interface TurnFigures {
  /** From sending text and flush to the first audio frame. */
  firstAudioMs: number;
  /** From sending to `final`. */
  totalMs: number;
  audioSeconds: number;
}

async function openSession(server: LocalServer, voice: number): Promise<WebSocket> {
  const socket = await openKugelSocket(server, 'stream');
  socket.send(JSON.stringify({ voice_id: voice, language: 'en' }));
  return socket;
}

function speak(socket: WebSocket, text: string): Promise<TurnFigures> {
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    let firstAudioMs = Number.NaN;
    const done = (error: Error | null, figures?: TurnFigures) => {
      socket.off('message', onMessage);
      socket.off('close', onClose);
      if (figures) resolve(figures);
      else reject(error);
    };
    const onClose = (code: number) => done(new Error(`The server closed with ${code}.`));
    const onMessage = (data: Buffer) => {
      // The client shares two cores with the server: audio is recognised by its first bytes and not parsed.
      if (data.length > 1000) {
        if (Number.isNaN(firstAudioMs)) firstAudioMs = performance.now() - sentMs;
        return;
      }
      const frame = JSON.parse(String(data)) as Record<string, unknown>;
      if (typeof frame.error === 'string') done(new Error(frame.error));
      if (frame.audio && Number.isNaN(firstAudioMs)) firstAudioMs = performance.now() - sentMs;
      if (frame.session_closed) {
        done(null, {
          firstAudioMs,
          totalMs: performance.now() - sentMs,
          audioSeconds: Number(frame.total_audio_seconds),
        });
      }
    };
    socket.on('message', onMessage);
    socket.once('close', onClose);
    socket.send(JSON.stringify({ text, flush: true }));
  });
}

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

/** Idle, 50 sessions that flush in the same moment, and memory over many turns. */
export async function benchServerLoad(port: number): Promise<void> {
  const server = await startLocalServer(port);
  try {
    const rows: Record<string, string>[] = [];
    const one = await openSession(server, 1071);
    await speak(one, TEXT);
    const idle: TurnFigures[] = [];
    for (let run = 0; run < 40; run += 1) idle.push(await speak(one, TEXT));
    rows.push(rowOf('1 session, one turn after another', idle, server.residentMiB()));

    const many = await Promise.all(
      Array.from({ length: 50 }, (_, index) => openSession(server, index % 2 === 0 ? 1071 : 1072)),
    );
    const rounds: TurnFigures[] = [];
    for (let round = 0; round < 5; round += 1) {
      rounds.push(...(await Promise.all(many.map((socket) => speak(socket, TEXT)))));
    }
    rows.push(rowOf('50 sessions at once, 5 rounds', rounds, server.residentMiB()));
    for (const socket of many) socket.close();

    const before = server.residentMiB();
    const turns = 1000;
    const began = performance.now();
    let audioSeconds = 0;
    for (let turn = 0; turn < turns; turn += 1)
      audioSeconds += (await speak(one, 'One more turn, please.')).audioSeconds;
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
    await server.stop();
  }
}
