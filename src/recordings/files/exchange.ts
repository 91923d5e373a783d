import { messageOf } from '#lib/message-of.ts';
import { knownSum } from '#lib/statistics/known-sum.ts';
import type { CallConnection } from '#lib/worker-calls.ts';
import { loadProtocols } from '#protocol/protocols.ts';
import { ImportError } from '#trace/files/import-error.ts';
import type { RecordingEnvironment } from '../environment.ts';
import { loopYielder, type YielderOptions, type YieldToLoop } from '../yield-to-loop.ts';
import type { ExchangeOutcome, ExchangeTask, TurnPart } from './exchange-messages.ts';
import { exportRecording, type ReadableRecording } from './exporter.ts';
import type { HarThread } from './har-thread.ts';
import { type ImportStore, importFile } from './importer.ts';
import { HEADS_A_YIELD, snippetOf } from './snippet-of.ts';

export interface ExchangeOptions extends YielderOptions {
  environment: Pick<RecordingEnvironment, 'nowMs' | 'after' | 'openHar' | 'reference'>;
  /** @throws Error where it is missing or unreadable */
  open: (recording: string) => Promise<ReadableRecording>;
  store: ImportStore;
}

/** Exports a recording to files or imports one, in slices. Never rejects. */
export async function runExchange(task: ExchangeTask, options: ExchangeOptions): Promise<ExchangeOutcome> {
  const { open, store, signal } = options;
  const { reference } = options.environment;
  const yieldToLoop = loopYielder(options);
  try {
    switch (task.kind) {
      case 'export': {
        const { recording, format, part } = task;
        return {
          kind: 'exported',
          ...(await exportRecording(await open(recording), format, part, yieldToLoop, reference)),
        };
      }
      case 'import': {
        await loadProtocols();
        const imported = await importFile(task.file, store, {
          ...task,
          yieldToLoop,
          progressed: options.progressed,
          openHar: () => openHar(options),
        });
        // Cancelled while the last of it was stored.
        if (signal.aborted && imported.isNew) await store.remove(imported.recordings);
        return signal.aborted ? { kind: 'cancelled' } : { kind: 'imported', ...imported };
      }
      case 'parts':
        return { kind: 'parts', turns: await turnsOf(await open(task.recording), yieldToLoop) };
      case 'snippet':
        return { kind: 'snippet', ...(await snippetOf(await open(task.recording), yieldToLoop)) };
    }
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled' };
    const place = error instanceof ImportError ? error.place : null;
    return { kind: 'failed', problem: messageOf(error), place };
  }
}

function openHar({ environment, signal }: ExchangeOptions): CallConnection<HarThread> {
  // The signal does not report a cancel that came before.
  signal.throwIfAborted();
  const har = environment.openHar();
  signal.addEventListener('abort', () => har.dispose());
  return har;
}

/** Turns with audio, in the order of their numbers. */
async function turnsOf({ index }: ReadableRecording, yieldToLoop: YieldToLoop): Promise<TurnPart[]> {
  const turns = new Map<number, TurnPart>();
  for (let at = 0; at < index.length; at += 1) {
    if (at % HEADS_A_YIELD === 0) await yieldToLoop(at / index.length);
    if (!index.isAudio(at)) continue;
    const { turn, context, audioMs } = index.head(at);
    if (turn === null) continue;
    const before = turns.get(turn) ?? { audioMs: 0 };
    turns.set(turn, { turn, context, audioMs: knownSum(before.audioMs, audioMs) });
  }
  return [...turns.values()].sort((a, b) => a.turn - b.turn);
}
