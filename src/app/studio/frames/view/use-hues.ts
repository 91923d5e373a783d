import { useMemo } from 'react';
import type { RecordHead } from '#trace/entry.ts';
import { hasFramesOf } from '../../../recordings/frame-of.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { contextHues, useCast, useSession, useSessionClient } from '../../../session-client/provider.tsx';
import { voiceHue } from '../../../ui/voice-hue.ts';

/** Returns the hue of the voice that a frame belongs to; null if it belongs to none. */
export function useHues(): (head: Pick<RecordHead, 'context' | 'turn' | 'kind'>) => number | null {
  const client = useSessionClient();
  const cast = useCast();
  const isOfSession = useRecordings(({ shown }) => hasFramesOf(client, shown));
  const contexts = useSession((state) => state.contexts);
  const others = useRecordings(({ shown }) => shown.facets.contexts);
  return useMemo(() => {
    const hueOf = contextHues(isOfSession ? contexts : others.map((id) => ({ id })), cast);
    return ({ context, turn, kind }) => {
      if (context !== null) return hueOf(context);
      if (kind !== 'audio') return null;
      const voice = isOfSession && turn !== null ? client.state.turns.get(turn)?.voice : null;
      return voiceHue(voice ?? 0);
    };
  }, [client, cast, contexts, others, isOfSession]);
}
