import type { Plan } from '#benchmark/plan.ts';
import { failedRun, type Lab } from '#benchmark/run-plan.ts';
import { systemClock, within } from '#lib/clock.ts';
import { wallMs } from '#lib/wall-clock.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { Redaction } from '#trace/secrets/redaction.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { Runner } from '../session-client/runner.ts';
import { useKeys } from '../stores/key-store.ts';
import { checkSpeech } from '../transcription/check-speech.ts';
import { planRunConfig } from './plan/plan-target.ts';
import { runFigures } from './run-figures.ts';

/** The audio clock jumps when it starts. A run waits until it has settled, because it times what is heard. */
const CLOCK_SETTLES_MS = 400;
/** A session that does not end its recording in time leaves its findings uncounted. */
const COUNTED_WITHIN_MS = 5000;

/** Makes runs in this browser, each with its own session, worker and sound output. */
export const pageLab = ({ aloud, transcription }: Plan): Lab => ({
  environment: { browser: navigator.userAgent, cores: navigator.hardwareConcurrency ?? null },
  nowMs: wallMs,
  pause,
  async run(configuration, text, connection, signal) {
    const config = planRunConfig(configuration, useKeys.getState(), location.origin);
    const isPublicKey = config.key === LOCAL_KEY;
    const redaction = new Redaction(isPublicKey ? '' : config.key);
    const runner = new Runner(config);
    runner.sound.setHeard(aloud);
    const { port1, port2 } = new MessageChannel();
    const abandoned = new AbortController();
    runner.record(port2);
    const found = recordingsLink.query(
      ({ countSoundFindings }) =>
        countSoundFindings(config.endpoint, port1, AbortSignal.any([signal, abandoned.signal])),
      null,
    );
    try {
      const obstacle = await (connection === 'warm' ? runner.connect(signal) : runner.openSound(signal));
      if (obstacle !== null) return failedRun(redaction.words(obstacle));
      await pause(CLOCK_SETTLES_MS, signal);
      const result = await runner.run(text, signal, { connection });
      const isWhole = result.outcome.how === 'spoken';
      const checked =
        transcription && isWhole
          ? await checkSpeech(runner.client, result.turns, text, transcription, signal)
          : null;
      const errorRate = checked && 'errorRate' in checked ? checked.errorRate : null;
      runner.endRecording();
      // The session of a failed run may be unable to end its recording.
      const findings = isWhole ? await within(systemClock, COUNTED_WITHIN_MS, found) : null;
      signal.throwIfAborted();
      const made = runFigures(result, text, configuration.source, errorRate, findings);
      return made.failure === null ? made : { ...made, failure: redaction.words(made.failure) };
    } finally {
      abandoned.abort();
      runner.dispose();
    }
  },
});

/** @throws the signal's reason */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  await within(systemClock, ms, aborted).finally(() => signal.removeEventListener('abort', abort));
}
