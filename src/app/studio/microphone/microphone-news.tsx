import { useMicrophone } from '../../stores/microphone-store.ts';
import { later } from '../../ui/later.tsx';

const MicrophoneStrip = later('The microphone', () =>
  import('./microphone-strip.tsx').then((module) => module.MicrophoneStrip),
);

/** The state of the microphone beside the composer; nothing while it is off. */
export function MicrophoneNews() {
  const isShown = useMicrophone(({ state, problem }) => state !== 'off' || problem !== null);
  return isShown ? <MicrophoneStrip /> : null;
}
