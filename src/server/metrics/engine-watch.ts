import { type Engine, ORDINARY_SPEECH, type SpeechBlock, type SpeechRequest } from '../speech/engine.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { EndpointMeter } from './meter.ts';

/** Time for a failing engine to speak one word. */
const PROBE_WITHIN_MS = 2000;
/** Wait before the next try, because an engine may be overloaded or charge for it. */
const PROBE_EVERY_MS = 2000;
const PROBE_TEXT = 'Ready.';

/** An engine, and whether it works. */
export interface EngineWatch {
  engine: Engine;
  /** Requests without audio yet. */
  waiting(): number;
  /** Requests with audio that are not over. */
  speaking(): number;
  failures(): number;
  /** Null where the engine can speak. After a failure it must speak a word first. */
  problem(): Promise<string | null>;
}

export function watchEngine(engine: Engine, { all: [voice] }: VoiceCatalogue): EngineWatch {
  const running = { waiting: 0, speaking: 0 };
  let failures = 0;
  let isFailing = false;
  let probe: Promise<void> | null = null;
  let probeFromMs = 0;

  async function* synthesize(request: SpeechRequest, signal: AbortSignal): AsyncGenerator<SpeechBlock> {
    let state: keyof typeof running = 'waiting';
    running.waiting += 1;
    try {
      for await (const block of engine.synthesize(request, signal)) {
        running[state] -= 1;
        state = 'speaking';
        running.speaking += 1;
        isFailing = false;
        yield block;
      }
    } catch (error) {
      if (!signal.aborted) {
        failures += 1;
        isFailing = true;
      }
      throw error;
    } finally {
      running[state] -= 1;
    }
  }

  const speakWord = async () => {
    const request = { ...ORDINARY_SPEECH, text: PROBE_TEXT, voice, session: 'readiness' };
    const blocks = engine.synthesize(request, AbortSignal.timeout(PROBE_WITHIN_MS));
    for await (const _ of blocks) isFailing = false;
  };

  return {
    engine: { synthesize, close: () => engine.close() },
    waiting: () => running.waiting,
    speaking: () => running.speaking,
    failures: () => failures,
    async problem() {
      if (!isFailing) return null;
      if (!probe && performance.now() >= probeFromMs)
        probe = speakWord()
          .catch(() => {})
          .finally(() => {
            probe = null;
            probeFromMs = performance.now() + PROBE_EVERY_MS;
          });
      await probe;
      return isFailing ? 'the speech engine fails' : null;
    },
  };
}

/** An engine whose requests are turns, as those of calls are. */
export const meteredTurns = (engine: Engine, meter: EndpointMeter): Engine => ({
  async *synthesize(request, signal) {
    const turn = meter.turn();
    let seconds = 0;
    let isComplete = false;
    try {
      for await (const block of engine.synthesize(request, signal)) {
        turn.audio();
        seconds += block.samples.length / request.sampleRate;
        yield block;
      }
      isComplete = true;
    } catch (error) {
      if (!signal.aborted) turn.ended('failed', seconds);
      throw error;
    } finally {
      turn.ended(isComplete ? 'completed' : 'cancelled', seconds);
    }
  },
  close: () => engine.close(),
});
