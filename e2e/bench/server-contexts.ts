import type { WebSocket } from 'ws';
import { percentile } from '#lib/statistics/percentiles.ts';
import { openKugelSocket, TEXT } from './kugel-socket.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { ms, printTable, times } from './table.ts';

/** The times of one turn of one context, seen from the client. */
interface ContextFigures {
  /** From sending text and flush to the first audio frame of this context. */
  firstAudioMs: number;
  /** From sending to `final`. */
  totalMs: number;
  audioSeconds: number;
}

const CONTEXTS = 20;
const ROUNDS = 5;

/** One socket with its contexts open. */
class Speakers {
  readonly #socket: WebSocket;
  readonly #ids: readonly string[];

  private constructor(socket: WebSocket, ids: readonly string[]) {
    this.#socket = socket;
    this.#ids = ids;
  }

  static async open(server: LocalServer, count: number): Promise<Speakers> {
    const socket = await openKugelSocket(server, 'multi');
    const ids = Array.from({ length: count }, (_, at) => `c${at}`);
    const created = new Promise<void>((resolve) => {
      let left = count;
      socket.on('message', function onMessage() {
        left -= 1;
        if (left > 0) return;
        socket.off('message', onMessage);
        resolve();
      });
    });
    for (const [at, id] of ids.entries()) {
      const voice_settings = { voice_id: at % 2 === 0 ? 1071 : 1072 };
      socket.send(JSON.stringify({ text: ' ', context_id: id, language: 'en', voice_settings }));
    }
    await created;
    return new Speakers(socket, ids);
  }

  /** All contexts speak the text at once. */
  speak(): Promise<ContextFigures[]> {
    return new Promise((resolve, reject) => {
      const sentMs = performance.now();
      const open = new Map(
        this.#ids.map((id) => [id, { firstAudioMs: Number.NaN, totalMs: 0, audioSeconds: 0 }]),
      );
      const done: ContextFigures[] = [];
      const end = (error: Error | null) => {
        this.#socket.off('message', onMessage);
        this.#socket.off('close', onClose);
        if (error) reject(error);
        else resolve(done);
      };
      const onClose = (code: number) => end(new Error(`The server closed with ${code}.`));
      const onMessage = (data: Buffer) => {
        const nowMs = performance.now();
        // The client shares two cores with the server: of audio only the end is read, where the context stands.
        const isAudio = data.length > 1000;
        const frame = isAudio ? {} : (JSON.parse(String(data)) as Record<string, unknown>);
        const id = isAudio ? contextAtEnd(data) : String(frame.context_id);
        const figures = open.get(id);
        if (!figures) return;
        if (typeof frame.error === 'string') end(new Error(frame.error));
        if ((isAudio || 'audio' in frame) && Number.isNaN(figures.firstAudioMs)) {
          figures.firstAudioMs = nowMs - sentMs;
        }
        if (frame.chunk_complete) figures.audioSeconds += Number(frame.audio_seconds);
        if (frame.final) {
          done.push({ ...figures, totalMs: nowMs - sentMs });
          open.delete(id);
          if (open.size === 0) end(null);
        }
      };
      this.#socket.on('message', onMessage);
      this.#socket.once('close', onClose);
      for (const id of this.#ids) {
        this.#socket.send(JSON.stringify({ text: TEXT, context_id: id, flush: true }));
      }
    });
  }

  close(): void {
    this.#socket.close();
  }
}

const contextAtEnd = (data: Buffer): string =>
  /"context_id":"([^"]*)"/.exec(data.subarray(-80).toString('latin1'))?.[1] ?? '';

async function measure(server: LocalServer, sockets: number): Promise<Record<string, string>> {
  const speakers = await Promise.all(
    Array.from({ length: sockets }, () => Speakers.open(server, CONTEXTS / sockets)),
  );
  const all: ContextFigures[] = [];
  const fairness: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures = (await Promise.all(speakers.map((speaker) => speaker.speak()))).flat();
    const first = figures.map((context) => context.firstAudioMs);
    fairness.push(Math.max(...first) / Math.min(...first));
    all.push(...figures);
  }
  for (const speaker of speakers) speaker.close();
  const first = all.map((context) => context.firstAudioMs);
  const rtf = all.map((context) => context.totalMs / 1000 / context.audioSeconds);
  return {
    load: `${sockets} ${sockets === 1 ? 'socket' : 'sockets'}, ${CONTEXTS / sockets} contexts each`,
    turns: String(all.length),
    'first audio p50': ms(percentile(first, 0.5)),
    min: ms(Math.min(...first)),
    max: ms(Math.max(...first)),
    'slowest / fastest p50': times(percentile(fairness, 0.5)),
    'worst round': times(Math.max(...fairness)),
    'RTF p50': percentile(rtf, 0.5).toFixed(3),
    'RTF max': Math.max(...rtf).toFixed(3),
    RSS: `${server.residentMiB().toFixed(0)} MiB`,
  };
}

/** Twenty contexts that speak in the same moment, on one socket and on five. */
export async function benchServerContexts(): Promise<void> {
  const server = await startLocalServer();
  try {
    await measure(server, 1);
    const rows = [await measure(server, 1), await measure(server, 5)];
    printTable(
      'Server: twenty contexts that begin to speak in the same moment',
      `${ROUNDS} rounds. First audio is taken from the moment in which the first of the texts was sent on its socket; ` +
        'slowest / fastest compares the first audio of the contexts of one round.',
      rows,
    );
  } finally {
    await server.stop();
  }
}
