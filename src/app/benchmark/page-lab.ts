import { failedRun, type Lab } from '#benchmark/run-plan.ts';
import { wallMs } from '#lib/wall-clock.ts';
import { endpointOf } from '#protocol/registry.ts';
import { Redaction } from '#record/redaction.ts';
import { Runner } from '../session-client/runner.ts';
import { Waiting } from '../session-client/waiting.ts';
import { useKeys } from '../stores/key-store.ts';
import { useSettings } from '../stores/settings-store.ts';
import { planRunConfig } from './plan/plan-target.ts';
import { runFigures } from './run-figures.ts';

/** The audio clock jumps when it starts. A run waits until it has settled, because it times what is heard. */
const CLOCK_SETTLES_MS = 400;

/** Makes runs in this browser, each with its own session, worker and sound output. */
export const pageLab = (aloud: boolean): Lab => ({
  environment: { browser: navigator.userAgent, cores: navigator.hardwareConcurrency ?? null },
  nowMs: wallMs,
  pause,
  async run(configuration, text, connection, signal) {
    const config = planRunConfig(configuration, useKeys.getState(), location.origin);
    const isPublicKey = config.key === endpointOf(config.endpoint).localKey;
    const redaction = new Redaction(isPublicKey ? '' : config.key);
    const runner = new Runner(config, { muted: !aloud });
    try {
      if (aloud) runner.client.sound.setVolume(useSettings.getState().volume, useSettings.getState().muted);
      if (connection === 'warm') {
        const problem = await runner.connect(signal);
        if (problem !== null) return failedRun(redaction.words(problem));
      }
      // A fault of the output is reported by the run.
      await runner.openSound(signal);
      await pause(CLOCK_SETTLES_MS, signal);
      const made = runFigures(await runner.run(text, signal, { connection }), text, configuration.source);
      return made.failure === null ? made : { ...made, failure: redaction.words(made.failure) };
    } finally {
      runner.dispose();
    }
  },
});

/** @throws the signal's reason */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Waiting().until(() => false, { signal, stalledAfterMs: ms });
}
