import { useEffect, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { obstacleOf, targetOf } from '../session-client/target.ts';
import { useKeys } from '../stores/key-store.ts';
import { type PageSettings, selectSettings, useSettings } from '../stores/settings-store.ts';
import { VoiceSampler } from './voice-sampler.ts';

/** Returns the session in which voices are heard, or why there is none. It ends with the gallery. */
export function useSampler(): { sampler: VoiceSampler | null; obstacle: string | null } {
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
  const [sampler, setSampler] = useState<VoiceSampler | null>(null);
  useEffect(() => {
    if (name === null) return;
    const opened = new VoiceSampler(JSON.parse(name), selectSettings(useSettings.getState()));
    const setVolume = ({ volume, muted }: Pick<PageSettings, 'volume' | 'muted'>) =>
      opened.client.sound.setVolume(volume, muted);
    setVolume(useSettings.getState());
    setSampler(opened);
    const leave = useSettings.subscribe(setVolume);
    return () => {
      leave();
      opened.dispose();
      setSampler(null);
    };
  }, [name]);
  return { sampler, obstacle };
}
