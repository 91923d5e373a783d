import { useEffect, useState } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { useListening } from '../../stores/listening-store.ts';

export const CAN_CHOOSE_DEVICE =
  'setSinkId' in AudioContext.prototype && typeof navigator.mediaDevices?.enumerateDevices === 'function';

export interface DeviceChoice {
  value: string;
  label: string;
}

interface OutputDevices {
  /** Apart from the system's. */
  devices: readonly DeviceChoice[];
  /** Asks the person for the devices that the browser hides; null where it hides none. Needs a gesture. */
  ask: (() => void) | null;
  /** Why asking was in vain; null otherwise. */
  refusal: string | null;
}

/** Not in every browser, and not among the library's types. */
interface WithPicker {
  selectAudioOutput?: () => Promise<MediaDeviceInfo>;
}

/** Devices that a person picked in the browser's own list. `enumerateDevices` may leave them out. */
const picked = new Map<string, DeviceChoice>();

/** Returns the output devices, now and after each change. A chosen one that is gone gives way to the system's. */
export function useOutputDevices(): OutputDevices {
  const [outputs, setOutputs] = useState<readonly MediaDeviceInfo[]>([]);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    if (!CAN_CHOOSE_DEVICE) return;
    const list = () => void listOutputs().then(setOutputs, () => undefined);
    list();
    navigator.mediaDevices.addEventListener('devicechange', list);
    return () => navigator.mediaDevices.removeEventListener('devicechange', list);
  }, []);
  const named = outputs.filter(({ label, deviceId }) => label !== '' && !ALIASES.has(deviceId));
  const listed = named.map(({ deviceId, label }) => ({ value: deviceId, label }));
  const devices = [...new Map([...picked, ...listed.map((one) => [one.value, one] as const)]).values()];
  const ask = () => {
    setRefusal(null);
    askForDevices().then(setOutputs, (error: unknown) =>
      setRefusal(`The browser lists no other device: ${messageOf(error)}`),
    );
  };
  return { devices, ask: outputs.some(({ label }) => label !== '') ? null : ask, refusal };
}

/** Ids that stand for the system's device. */
const ALIASES = new Set(['', 'default', 'communications']);

async function listOutputs(): Promise<MediaDeviceInfo[]> {
  const all = await navigator.mediaDevices.enumerateDevices();
  const outputs = all.filter(({ kind }) => kind === 'audiooutput');
  const { device } = useListening.getState();
  const isGone = device !== '' && !picked.has(device) && !outputs.some(({ deviceId }) => deviceId === device);
  if (isGone)
    useListening.setState({
      device: '',
      problem: 'The chosen device was disconnected, so the sound goes to the system’s.',
    });
  return outputs;
}

async function askForDevices(): Promise<MediaDeviceInfo[]> {
  const { mediaDevices } = navigator;
  const { selectAudioOutput } = mediaDevices as WithPicker;
  if (selectAudioOutput) {
    const { deviceId, label } = await selectAudioOutput.call(mediaDevices);
    picked.set(deviceId, { value: deviceId, label });
    useListening.setState({ device: deviceId, problem: null });
  } else {
    // Browsers without a list of their own name devices to a page that may use the microphone.
    const stream = await mediaDevices.getUserMedia({ audio: true });
    for (const track of stream.getTracks()) track.stop();
  }
  return await listOutputs();
}
