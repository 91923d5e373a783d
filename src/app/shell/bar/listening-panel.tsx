import { useEffect, useState } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { EqualLoudnessSwitch } from '../../settings/voices/equal-loudness-switch.tsx';
import { LISTENERS, useListening } from '../../stores/listening-store.ts';
import { Button } from '../../ui/button.tsx';
import { NoteLine } from '../../ui/notice.tsx';
import { Select, type SelectOption } from '../../ui/select.tsx';

const CAN_CHOOSE_DEVICE = 'setSinkId' in AudioContext.prototype;

/** How the page is heard: through what, and on which device. */
export function ListeningPanel() {
  const { as, device, problem } = useListening();
  const [devices, setDevices] = useState<readonly SelectOption<string>[]>([]);
  useEffect(() => {
    if (CAN_CHOOSE_DEVICE) void namedOutputs().then(setDevices);
  }, []);
  const ask = () =>
    askForNames().then(setDevices, (error: unknown) =>
      useListening.setState({ problem: `The browser lists no other device: ${messageOf(error)}` }),
    );
  return (
    <>
      <div className="grid grid-cols-[auto_1fr] items-center gap-3">
        <span className="text-13 font-medium">Listen as</span>
        <Select
          label="Listen as"
          options={LISTENERS}
          value={as}
          onChange={(next) => useListening.setState({ as: next, problem: null })}
        />
        {CAN_CHOOSE_DEVICE && (
          <>
            <span className="text-13 font-medium">Output device</span>
            <Select
              label="Output device"
              options={[{ value: '', label: 'The system’s' }, ...devices]}
              value={device}
              placeholder="Disconnected"
              onChange={(next) => useListening.setState({ device: next, problem: null })}
            />
          </>
        )}
      </div>
      {CAN_CHOOSE_DEVICE && devices.length === 0 && (
        <div className="flex items-center gap-3 text-12 text-text-muted">
          <p className="flex-1">The browser lists other devices once you allow the microphone.</p>
          <Button size="small" onClick={ask}>
            List devices
          </Button>
        </div>
      )}
      <EqualLoudnessSwitch />
      {problem !== null && <NoteLine role="alert">{problem}</NoteLine>}
      <p className="text-12 text-text-muted">
        {!CAN_CHOOSE_DEVICE &&
          'This browser cannot choose the output device: change it in the sound settings of the system. '}
        For the whole page, until it is reloaded. Recordings and measures stay as they are.
      </p>
    </>
  );
}

/** Returns the outputs that the browser names. The system's is among them by the id `default`. */
async function namedOutputs(): Promise<SelectOption<string>[]> {
  const all = await navigator.mediaDevices.enumerateDevices();
  return all
    .filter(({ kind, label, deviceId }) => kind === 'audiooutput' && label !== '' && deviceId !== 'default')
    .map(({ deviceId, label }) => ({ value: deviceId, label }));
}

/** Browsers name devices to a page that may use the microphone. Needs a gesture. */
async function askForNames(): Promise<SelectOption<string>[]> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) track.stop();
  return await namedOutputs();
}
