import { useEffect, useState } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { useListening } from '../../stores/listening-store.ts';

export const CAN_CHOOSE_DEVICE =
  'setSinkId' in AudioContext.prototype && typeof navigator.mediaDevices?.enumerateDevices === 'function';

/** Firefox has a list of its own, of which the page gets one device at a time. */
export const HAS_PICKER = CAN_CHOOSE_DEVICE && 'selectAudioOutput' in navigator.mediaDevices;

/** Not in every browser, and not among the library's types. */
interface WithPicker {
  selectAudioOutput?: () => Promise<MediaDeviceInfo>;
}

/**
 * Returns the output devices that the browser names, now and after each change. A chosen one that is gone gives way to the
 * system's. `ask` requests the names that the browser hides, and needs a gesture; `refusal` says why that was in vain.
 */
export function useOutputDevices() {
  const [outputs, setOutputs] = useState<readonly MediaDeviceInfo[]>([]);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    if (!CAN_CHOOSE_DEVICE) return;
    const list = () => void listOutputs().then(setOutputs, () => undefined);
    list();
    navigator.mediaDevices.addEventListener('devicechange', list);
    return () => navigator.mediaDevices.removeEventListener('devicechange', list);
  }, []);
  const ask = () =>
    askForDevices().then(
      (asked) => {
        setOutputs(asked);
        setRefusal(null);
      },
      (error: unknown) => setRefusal(`The browser lists no other device: ${messageOf(error)}`),
    );
  return { outputs, ask, refusal };
}

/** Ids that stand for the system's device. */
const ALIASES = new Set(['', 'default', 'communications']);

async function listOutputs(): Promise<MediaDeviceInfo[]> {
  const all = await navigator.mediaDevices.enumerateDevices();
  const outputs = all.filter(
    ({ kind, label, deviceId }) => kind === 'audiooutput' && label !== '' && !ALIASES.has(deviceId),
  );
  const { device } = useListening.getState();
  if (device !== '' && !outputs.some(({ deviceId }) => deviceId === device))
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
    const { deviceId } = await selectAudioOutput.call(mediaDevices);
    useListening.setState({ device: deviceId, problem: null });
  } else {
    // Browsers without a list of their own name devices to a page that may use the microphone.
    const stream = await mediaDevices.getUserMedia({ audio: true });
    for (const track of stream.getTracks()) track.stop();
  }
  return await listOutputs();
}
