import { useMemo } from 'react';
import type { RecordHead } from '#record/record.ts';
import { contextIdOf } from '#text/script.ts';
import { hasFramesOf } from '../../../recordings/frame-of.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { useCast, useSessionClient } from '../../../session-client/provider.tsx';
import { voiceHue } from '../../../ui/voice-hue.ts';

/** Returns the hue of the voice that a frame belongs to; null if it belongs to none. */
export function useHues(): (head: Pick<RecordHead, 'context' | 'turn' | 'audioMs'>) => number | null {
  const client = useSessionClient();
  const cast = useCast();
  const isOfSession = useRecordings(({ shown }) => hasFramesOf(client, shown));
  return useMemo(() => {
    const byContext = new Map(cast.map(({ name, hue }) => [contextIdOf(name), hue]));
    return ({ context, turn, audioMs }) => {
      if (context !== null) return byContext.get(context) ?? voiceHue(context);
      if (audioMs === null) return null;
      const voice = isOfSession && turn !== null ? client.state.turns.get(turn)?.voice : null;
      return voiceHue(voice ?? 0);
    };
  }, [client, cast, isOfSession]);
}
