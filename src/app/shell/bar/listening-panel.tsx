import type { ListenAs } from '#player/listen-as.ts';
import { LISTENERS, useListening } from '../../stores/listening-store.ts';
import { Button } from '../../ui/button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { Select, type SelectOption } from '../../ui/select.tsx';
import { CAN_CHOOSE_DEVICE, HAS_PICKER, useOutputDevices } from './output-devices.ts';

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
  const { as, device, problem } = useListening();
  const { outputs, ask, refusal } = useOutputDevices();
  const fault = problem ?? refusal;
  return (
    <>
      <div className="grid grid-cols-[auto_1fr] items-center gap-3">
        <span className="text-13 font-medium">Listen as</span>
        <Select
          label="Listen as"
          options={OPTIONS}
          value={as ?? 'plain'}
          onChange={(next) => useListening.setState({ as: next === 'plain' ? null : next, problem: null })}
        />
        {CAN_CHOOSE_DEVICE && (
          <>
            <span className="text-13 font-medium">Output device</span>
            <Select
              label="Output device"
              options={[
                { value: '', label: 'The system’s' },
                ...outputs.map(({ deviceId, label }) => ({ value: deviceId, label })),
              ]}
              value={device}
              onChange={(next) => useListening.setState({ device: next, problem: null })}
            />
          </>
        )}
      </div>
      {CAN_CHOOSE_DEVICE && (outputs.length === 0 || HAS_PICKER) && (
        <div className="flex items-center gap-3 text-12 text-text-muted">
          <p className="flex-1">The browser lists other devices once you allow it.</p>
          <Button size="small" onClick={ask}>
            List devices
          </Button>
        </div>
      )}
      {fault !== null && <NoteLine role="alert">{fault}</NoteLine>}
      <p className="text-12 text-text-muted">
        {!CAN_CHOOSE_DEVICE &&
          'This browser cannot choose the output device: change it in the sound settings of the system. '}
        For the whole page, until it is reloaded. Recordings and measures stay as they are.
      </p>
    </>
  );
}
