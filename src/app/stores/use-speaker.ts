import { castOf, memberOf, useScene } from './scene-store.ts';
import { selectEndpoint, useSettings } from './settings-store.ts';

/** Who speaks on a context, as the page names and colours them. */
export interface SpeakerLook {
  name: string;
  hue: number;
}

/** Somebody who is no longer in the cast keeps the name of the context. Null where the endpoint has a single voice. */
export function useSpeaker(context: string): SpeakerLook | null {
  const endpoint = useSettings(selectEndpoint);
  const member = useScene((state) => memberOf(castOf(state, endpoint), context));
  if (context === '') return null;
  return member ?? { name: context, hue: 1 };
}
