import { useEffect, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { endpointOf } from '#protocol/registry.ts';
import type { Target } from '#session/commands.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import { onFirstGesture } from '../browser/first-gesture.ts';
import { SessionClient, SessionOwner } from '../session-client/session-client.ts';
import { selectBusy } from '../session-client/session-state.ts';
import { RunSpeech, speechCommand } from '../session-client/speech.ts';
import { obstacleOf, targetOf } from '../session-client/target.ts';
import { withFields } from '../settings/setting-value.ts';
import { VoiceSampler, type VoiceSound } from '../settings/voices/voice-sampler.ts';
import { useFavourites } from '../stores/favourites-store.ts';
import { useKeys } from '../stores/key-store.ts';
import { type PageSettings, selectSettings, useSettings } from '../stores/settings-store.ts';

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
  const { endpoint } = target;
  const owner = new SessionOwner((port) => new SessionClient(port, { endpoint, hasCast: false }));
  owner.begin(target, selectSettings(useSettings.getState()));
  const { client } = owner;
  const setVolume = ({ volume, muted }: Pick<PageSettings, 'volume' | 'muted'>) =>
    client.sound.setVolume(volume, muted);
  setVolume(useSettings.getState());
  const leaves = [
    useSettings.subscribe(setVolume),
    // The first press must wait for neither output nor connection.
    onFirstGesture(window, navigator, () => owner.sound.prepare()),
  ];
  let isWarm = false;
  return {
    client,
    sampler: new VoiceSampler(sentenceOf(owner)),
    warm: () => {
      if (!isWarm && client.state.connection.state === 'idle') client.send({ type: 'connect' });
      isWarm = true;
    },
    close: () => {
      for (const leave of leaves) leave();
      owner.dispose();
    },
  };
}

/** Lets a voice say the sentence, and measures its wait. */
function sentenceOf(owner: SessionOwner<SessionClient>): VoiceSound {
  const { client } = owner;
  let samples = 0;
  return (choice, report) => {
    client.dismissProblems(client.state.problems);
    const speech = new RunSpeech(client);
    const text = sentenceToSay();
    const settings = selectSettings(useSettings.getState());
    const leave = client.store.subscribe(() => {
      const [turn] = speech.turns();
      const outcome = speech.outcome();
      const isSilent = outcome?.how === 'spoken' || outcome?.how === 'cancelled';
      const underWay = turn?.heardFromMs != null ? 'speaking' : 'waiting';
      report(
        outcome === null ? underWay : isSilent ? 'silent' : 'failed',
        turn ? measuresOf(turn).waitMs : null,
      );
    });
    if (endpointOf(choice.endpoint).contexts) {
      // A context keeps its voice to its end, so that every sample has a context of its own.
      samples += 1;
      const speaker = `voice-${samples}`;
      owner.post({ type: 'settings', settings });
      owner.post({
        type: 'speakers',
        speakers: [{ id: speaker, settings: withFields({}, choice.settings), keepOpen: false }],
      });
      const lines = [{ speaker, text, line: 0 }];
      client.send(speechCommand(lines, { kind: 'whole' }));
    } else {
      owner.post({ type: 'settings', settings: withFields(settings, choice.settings) });
      client.send(speechCommand(text, { kind: 'whole' }));
    }
    return () => {
      leave();
      if (selectBusy(client.state)) client.cancel();
    };
  };
}
