import { useEffect, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { endpointOf } from '#protocol/registry.ts';
import type { Target } from '#session/commands.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import { onFirstGesture } from '../browser/first-gesture.ts';
import { Runner } from '../session-client/runner.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { obstacleOf, targetOf } from '../session-client/target.ts';
import { withFields } from '../settings/setting-value.ts';
import { VoiceSampler, type VoiceSound } from '../settings/voices/voice-sampler.ts';
import { useFavourites } from '../stores/favourites-store.ts';
import { useKeys } from '../stores/key-store.ts';
import { selectSettings, useSettings } from '../stores/settings-store.ts';

export const DEFAULT_SENTENCE = 'Good morning. I could be the voice of your product. Shall we begin?';
export const MAX_SENTENCE_CHARS = 300;

/** The sentence that every voice says. */
export function sentenceToSay(): string {
  const { sentence } = useFavourites.getState();
  return sentence?.trim() ? sentence : DEFAULT_SENTENCE;
}

interface SentenceSampler {
  sampler: VoiceSampler;
  client: SessionClient;
  /** Connects ahead of the first press. */
  warm: () => void;
}

/** Returns the session in which voices say the sentence, or why there is none. It ends with the gallery. */
export function useSentenceSampler(): { opened: SentenceSampler | null; obstacle: string | null } {
  const page = useSettings(
    useShallow(({ endpoint, servers, customBases, settings }) => ({
      endpoint,
      servers,
      customBases,
      settings,
    })),
  );
  const keys = useKeys((state) => state.keys);
  const obstacle = obstacleOf(page, { keys });
  const target = obstacle === null ? targetOf(page, { keys }, location.origin) : null;
  const name = target && JSON.stringify(target);
  const [opened, setOpened] = useState<SentenceSampler | null>(null);
  useEffect(() => {
    if (name === null) return;
    const { close, ...session } = openSession(JSON.parse(name));
    // biome-ignore lint/nursery/useReactCompiler: the session is an external system that the effect opens
    setOpened(session);
    return () => {
      close();
      setOpened(null);
    };
  }, [name]);
  return { opened, obstacle };
}

/**
 * Opens a session of its own: on the studio's protocol and player, so that every figure is measured as there, and without
 * touching the studio's set-up.
 */
function openSession(target: Target): SentenceSampler & { close: () => void } {
  const settings = selectSettings(useSettings.getState());
  const runner = new Runner({ ...target, settings, speaker: {}, source: { kind: 'whole' } });
  // The first press must wait for neither output nor connection.
  const leave = onFirstGesture(window, navigator, () => runner.sound.prepare());
  let isWarm = false;
  return {
    client: runner.client,
    sampler: new VoiceSampler(sentenceOf(runner)),
    warm: () => {
      if (!isWarm && runner.client.state.connection.state === 'idle') runner.client.send({ type: 'connect' });
      isWarm = true;
    },
    close: () => {
      leave();
      runner.dispose();
    },
  };
}

/** Lets a voice say the sentence, and measures its wait. */
const sentenceOf =
  (runner: Runner): VoiceSound =>
  (choice, report) => {
    const settings = selectSettings(useSettings.getState());
    if (endpointOf(choice.endpoint).contexts) runner.setUp(settings, withFields({}, choice.settings));
    else runner.setUp(withFields(settings, choice.settings), {});
    const waitMs = (): number | null => runner.turn && measuresOf(runner.turn).waitMs;
    const abort = new AbortController();
    const run = runner.run(sentenceToSay(), abort.signal);
    const leave = runner.client.store.subscribe(() =>
      report(runner.turn?.heardFromMs != null ? 'speaking' : 'waiting', waitMs()),
    );
    run
      .then(
        ({ outcome: { how } }) =>
          report(how === 'spoken' || how === 'cancelled' ? 'silent' : 'failed', waitMs()),
        () => undefined,
      )
      .finally(leave);
    return () => abort.abort();
  };
