import type { ListenAs } from '#player/listen-as.ts';
import { LISTENERS, useListening } from '../../stores/listening-store.ts';
import { Button } from '../../ui/button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { Select, type SelectOption } from '../../ui/select.tsx';
import { CAN_CHOOSE_DEVICE, useOutputDevices } from './output-devices.ts';

const HINTS: Readonly<Record<ListenAs, string>> = {
  telephone: '300 to 3400 Hz, coded by µ-law',
  loudspeaker: '500 Hz to 6 kHz, with a resonance',
  room: 'From across a furnished room',
};

const OPTIONS: readonly SelectOption<ListenAs | 'plain'>[] = [
  { value: 'plain', label: 'As it is' },
  ...Object.entries(LISTENERS).map(([value, label]) => ({
    value: value as ListenAs,
    label,
    hint: HINTS[value as ListenAs],
  })),
];

/** How the page is heard: through what, and on which device. */
export function ListeningPanel() {
  const { as, problem } = useListening();
  return (
    <>
      <div className="flex items-center gap-3">
        <span className="w-24 shrink-0 text-13 font-medium">Listen as</span>
        <Select
          label="Listen as"
          options={OPTIONS}
          value={as ?? 'plain'}
          onChange={(next) => useListening.setState({ as: next === 'plain' ? null : next, problem: null })}
          className="flex-1"
        />
      </div>
      <OutputDevice />
      {problem !== null && <NoteLine role="alert">{problem}</NoteLine>}
      <p className="text-12 text-text-muted">
        For the whole page, until it is reloaded. Recordings and measures stay as they are.
      </p>
    </>
  );
}

function OutputDevice() {
  const device = useListening((state) => state.device);
  const { devices, ask, refusal } = useOutputDevices();
  if (!CAN_CHOOSE_DEVICE)
    return (
      <p className="text-12 text-text-muted">
        This browser cannot choose the output device. Change it in the sound settings of the system.
      </p>
    );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <span className="w-24 shrink-0 text-13 font-medium">Output device</span>
        <Select
          label="Output device"
          options={[{ value: '', label: 'The system’s' }, ...devices]}
          value={device}
          onChange={(next) => useListening.setState({ device: next, problem: null })}
          className="flex-1"
        />
      </div>
      {ask && (
        <div className="flex items-center gap-3 text-12 text-text-muted">
          <p className="flex-1">The browser lists other devices once you allow it.</p>
          <Button size="small" onClick={ask}>
            List devices
          </Button>
        </div>
      )}
      {refusal !== null && <NoteLine role="alert">{refusal}</NoteLine>}
    </div>
  );
}
