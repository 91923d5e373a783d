import { messageOf } from '#lib/message-of.ts';
import type { RecordingEnvironment } from '../environment.ts';
import { ImportError } from '../format/import-error.ts';
import type { ExchangeOutcome, ExchangeTask, TurnPart } from './exchange-messages.ts';
import { type Breathe, exportRecording, type ReadableRecording } from './exporter.ts';
import type { HarFile } from './har-thread.ts';
import { type ImportStore, importFile } from './importer.ts';
import { HEADS_A_BREATH, snippetOf } from './snippet-of.ts';

export interface ExchangeOptions {
  environment: Pick<RecordingEnvironment, 'nowMs' | 'after' | 'openHar'>;
  /** @throws Error where it is missing or unreadable */
  open: (recording: string) => Promise<ReadableRecording>;
  store: ImportStore;
  /** Reports progress now and then, from 0 to 1. */
  progressed: (done: number) => void;
  signal: AbortSignal;
}

/** Length of a slice, after which recording and other calls run. */
const SLICE_MS = 15;

/** Exports a recording to files or imports one, in slices. Never rejects. */
export async function runExchange(task: ExchangeTask, options: ExchangeOptions): Promise<ExchangeOutcome> {
  const { open, store, signal } = options;
  const breathe = breather(options);
  try {
    switch (task.kind) {
      case 'export': {
        const { recording, format, part } = task;
        return { kind: 'exported', ...(await exportRecording(await open(recording), format, part, breathe)) };
      }
      case 'import': {
        const imported = await importFile(task.file, store, {
          ...task,
          breathe,
          progressed: options.progressed,
          openHar: () => openHar(options),
        });
        // Cancelled while the last of it was stored.
        if (signal.aborted && imported.isNew) await store.remove(imported.recordings);
        return signal.aborted ? { kind: 'cancelled' } : { kind: 'imported', ...imported };
      }
      case 'parts':
        return { kind: 'parts', turns: await turnsOf(await open(task.recording), breathe) };
      case 'snippet':
        return { kind: 'snippet', ...(await snippetOf(await open(task.recording), breathe)) };
    }
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled' };
    const place = error instanceof ImportError ? error.place : null;
    return { kind: 'failed', problem: messageOf(error), place };
  }
}

function breather({ environment, progressed, signal }: ExchangeOptions): Breathe {
  let sinceMs = environment.nowMs();
  return async (done) => {
    signal.throwIfAborted();
    if (environment.nowMs() - sinceMs < SLICE_MS) return;
    progressed(done);
    await new Promise<void>((resolve) => environment.after(0, resolve));
    sinceMs = environment.nowMs();
    signal.throwIfAborted();
  };
}

function openHar({ environment, signal }: ExchangeOptions): HarFile {
  // The signal does not report a cancel that came before.
  signal.throwIfAborted();
  const har = environment.openHar();
  signal.addEventListener('abort', () => har.end());
  return har;
}

/** Turns with audio, in the order of their numbers. */
async function turnsOf({ index }: ReadableRecording, breathe: Breathe): Promise<TurnPart[]> {
  const turns = new Map<number, TurnPart>();
  for (let at = 0; at < index.length; at += 1) {
    if (at % HEADS_A_BREATH === 0) await breathe(at / index.length);
    if (!index.isAudio(at)) continue;
    const { turn, context, audioMs } = index.head(at);
    if (turn === null) continue;
    const known = turns.get(turn);
    turns.set(turn, { turn, context, audioMs: (known?.audioMs ?? 0) + (audioMs ?? 0) });
  }
  return [...turns.values()].sort((a, b) => a.turn - b.turn);
}
